"""Programs that record the provenance of their values. Imported only if a run is traced.

`probed` is a pass from syntax to syntax: it adds calls of `DataflowRuntime`, and the plain lowering continues from
there. A dependency scope is open while a statement, a condition or an argument is evaluated, and collects the reads:
data values, variables, conditions. When it closes, its contents become the *shadow* of the assigned variable, `$o.x`
for `x`, or are passed with a value to the code that builds the node. Shadows are variables of the program, so scopes
and closures work. The shadow of a changed container is stored by the container's identity.

    x = data.values.a + 1      ->    $d.1 = $from.open()
                                     x = $from.use(data, $o.data).values.a + 1
                                     $o.x = $from.close($d.1, line)

Conditions and loops are origins of everything inside them, and, if they can leave, of everything after them. Statements
that build nodes share one scope per function. Pure functions need not report their reads (see `pure_functions`).
"""
