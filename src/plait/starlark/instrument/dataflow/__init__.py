"""Programs that record the provenance of their values. Imported only if a run is traced.

`probed` is a pass from syntax to syntax: it adds calls of `Recorder`, and the plain lowering continues from there. A
window is open while a statement, a condition or an argument is evaluated, and collects the reads: data values,
variables, conditions. When it closes, its contents become the *shadow* of the assigned variable, `$o.x` for `x`, or
accompany the value of a hole to the code that builds the node. Shadows are variables of the program, so scopes and
closures work. A container that is changed has its shadow elsewhere, by identity.

    x = data.values.a + 1      ->    $d.1 = $from.open()
                                     x = $from.use(data, $o.data).values.a + 1
                                     $o.x = $from.close($d.1, line)

Conditions and loops count for everything inside them, and, if they can leave, for everything after them. Statements
that build nodes share one window per function. Functions that only compute need not report their reads (see `closed`).
"""
