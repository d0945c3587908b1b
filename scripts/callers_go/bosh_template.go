package template

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/cppforlife/go-patch/patch"
	"gopkg.in/yaml.v2"
)

// The functions of this package, evaluated by `bosh interpolate`. Those that they replace have the prefix Replaced.

// directory is temporary; files are named by the order in which they are written.
type directory struct{ path string }

func newDirectory() *directory {
	path, err := os.MkdirTemp("", "bosh")
	if err != nil {
		panic(err)
	}
	return &directory{path}
}

func (d *directory) write(content []byte) string {
	path, err := os.CreateTemp(d.path, "*.yml")
	if err != nil {
		panic(err)
	}
	defer path.Close()
	if _, err := path.Write(content); err != nil {
		panic(err)
	}
	return path.Name()
}

func (d *directory) writeValue(value interface{}) string {
	content, err := yaml.Marshal(value)
	if err != nil {
		panic(err)
	}
	return d.write(content)
}

func (d *directory) remove() { os.RemoveAll(d.path) }

func (d *directory) interpolate(template []byte, arguments ...string) ([]byte, error) {
	return runBosh(nil, append([]string{"interpolate", d.write(template)}, arguments...)...)
}

// valueOf returns the value of a variable that arguments define.
func valueOf(environment []string, name string, arguments ...string) (interface{}, bool, error) {
	d := newDirectory()
	defer d.remove()
	arguments = append(arguments, "--var-errs", d.write([]byte("value: (("+name+"))\n")))
	output, err := runBosh(environment, append([]string{"interpolate"}, arguments...)...)
	if err != nil {
		if strings.HasPrefix(err.Error(), "Expected to find variables:") {
			err = nil
		}
		return nil, false, err
	}
	var found map[string]interface{}
	err = yaml.Unmarshal(output, &found)
	return found["value"], err == nil, err
}

func (t Template) Evaluate(vars Variables, op patch.Op, opts EvaluateOpts) ([]byte, error) {
	d := newDirectory()
	defer d.remove()
	operations, err := d.operationArguments(op)
	if err != nil {
		return nil, err
	}
	variables, ok := d.variableArguments(vars)
	if !ok {
		if variables, err = d.answers(t.bytes, vars, operations); err != nil {
			return nil, err
		}
	}
	arguments := append(operations, variables...)
	if opts.ExpectAllKeys {
		arguments = append(arguments, "--var-errs")
	}
	if opts.ExpectAllVarsUsed {
		arguments = append(arguments, "--var-errs-unused")
	}
	if find, ok := opts.PostVarSubstitutionOp.(patch.FindOp); ok {
		arguments = append(arguments, "--path", find.Path.String())
	}
	return d.interpolate(t.bytes, arguments...)
}

func (d *directory) operationArguments(op patch.Op) ([]string, error) {
	if op == nil {
		return nil, nil
	}
	operations, ok := op.(patch.Ops)
	if !ok {
		operations = patch.Ops{op}
	}
	if len(operations) == 0 {
		return nil, nil
	}
	definitions, err := patch.NewOpDefinitionsFromOps(operations)
	if err != nil {
		return nil, err
	}
	return []string{"--ops-file", d.writeValue(definitions)}, nil
}

// variableArguments returns false for variables that are not values.
func (d *directory) variableArguments(vars Variables) ([]string, bool) {
	switch known := vars.(type) {
	case nil:
		return nil, true
	case StaticVariables:
		return []string{"--vars-file", d.writeValue(map[string]interface{}(known))}, true
	case MultiVars:
		// The first source has precedence here, and the last flag on a command line.
		var arguments []string
		for index := len(known.varss) - 1; index >= 0; index-- {
			more, ok := d.variableArguments(known.varss[index])
			if !ok {
				return nil, false
			}
			arguments = append(arguments, more...)
		}
		return arguments, true
	}
	return nil, false
}

// answers asks variables of another kind for everything that a template names, definitions first, as a template does.
// The arguments that it returns define what they answer.
func (d *directory) answers(template []byte, vars Variables, operations []string) ([]string, error) {
	template, err := d.interpolate(template, operations...)
	if err != nil {
		return nil, err
	}
	values := map[string]interface{}{}
	var definitions varDefinitions
	var document map[string]interface{}
	if yaml.Unmarshal(template, &document) == nil {
		if err := yaml.Unmarshal(template, &definitions); err != nil {
			return nil, err
		}
		delete(document, "variables")
		if template, err = yaml.Marshal(document); err != nil {
			return nil, err
		}
	}
	var ask func(name string) (bool, error)
	ask = func(name string) (bool, error) {
		definition := definitions.Find(name)
		options, err := yaml.Marshal(definition.Options)
		if err != nil {
			return false, err
		}
		for _, inner := range namesIn(options) {
			found, err := ask(inner)
			if err != nil {
				return false, errors.New("Interpolating variable '" + name + "' definition options: Finding variable '" + inner + "': " + err.Error())
			}
			if !found {
				return false, nil
			}
		}
		if options, err = d.interpolate(options, "--vars-file", d.writeValue(values)); err != nil {
			return false, err
		}
		if err := yaml.Unmarshal(options, &definition.Options); err != nil {
			return false, err
		}
		value, found, err := vars.Get(definition)
		if found {
			values[name] = value
		}
		return found, err
	}
	askDefined := func(all bool) error {
		for _, definition := range definitions.Definitions {
			if all || definition.Type != "" {
				if _, err := ask(definition.Name); err != nil {
					return errors.New("Getting all variables from variable definitions sections: " + err.Error())
				}
			}
		}
		return nil
	}
	if err := askDefined(false); err != nil {
		return nil, err
	}
	for _, name := range namesIn(template) {
		if _, err := ask(name); err != nil {
			return nil, err
		}
	}
	if err := askDefined(true); err != nil {
		return nil, err
	}
	return []string{"--vars-file", d.writeValue(values)}, nil
}

func namesIn(text []byte) []string {
	names := (interpolator{}).extractVarNames(string(text))
	for index, name := range names {
		names[index] = strings.SplitN(name, ".", 2)[0]
	}
	return names
}

func (v StaticVariables) Get(varDef VariableDefinition) (interface{}, bool, error) {
	d := newDirectory()
	defer d.remove()
	arguments, _ := d.variableArguments(v)
	return valueOf(nil, varDef.Name, arguments...)
}

func (v StaticVariables) List() ([]VariableDefinition, error) {
	d := newDirectory()
	defer d.remove()
	arguments, _ := d.variableArguments(v)
	_, err := d.interpolate([]byte("{}\n"), append(arguments, "--var-errs-unused")...)
	if err == nil {
		return nil, nil
	}
	names, ok := strings.CutPrefix(err.Error(), "Expected to use variables: ")
	if !ok {
		return nil, err
	}
	var definitions []VariableDefinition
	for _, name := range strings.Split(names, "\n") {
		definitions = append(definitions, VariableDefinition{Name: name})
	}
	return definitions, nil
}

// nameIn returns the name before the equals sign, or one that is not used.
func nameIn(data string) string {
	if name := strings.SplitN(data, "=", 2)[0]; name != "" {
		return name
	}
	return "unused"
}

func (a *VarKV) UnmarshalFlag(data string) error {
	value, _, err := valueOf(nil, nameIn(data), "--var", data)
	if err == nil {
		*a = VarKV{Name: nameIn(data), Value: value}
	}
	return err
}

func (a *VarFileArg) UnmarshalFlag(data string) error {
	d := newDirectory()
	defer d.remove()
	argument := data
	if name, path, found := strings.Cut(data, "="); found && path != "" && a.FS != nil {
		// A file of a test's own file system, copied to where `bosh` finds it.
		if expanded, err := a.FS.ExpandPath(path); err == nil {
			if content, err := a.FS.ReadFile(expanded); err == nil {
				argument = name + "=" + d.write(content)
			}
		}
	}
	value, _, err := valueOf(nil, nameIn(data), "--var-file", argument)
	if err == nil {
		a.Vars = StaticVariables{nameIn(data): value}
	}
	return err
}

func (a *VarsEnvArg) UnmarshalFlag(prefix string) error {
	environment := os.Environ()
	if a.EnvironFunc != nil {
		environment = a.EnvironFunc()
	}
	if _, _, err := valueOf(environment, "unused", "--vars-env", prefix); err != nil {
		return err
	}
	a.Vars = StaticVariables{}
	for _, entry := range environment {
		name, found := strings.CutPrefix(strings.SplitN(entry, "=", 2)[0], prefix+"_")
		if !found {
			continue
		}
		value, _, err := valueOf(environment, name, "--vars-env", prefix)
		if err != nil {
			return err
		}
		a.Vars[name] = value
	}
	return nil
}

func (a *VarsFileArg) UnmarshalFlag(path string) error {
	d := newDirectory()
	defer d.remove()
	argument := path
	var content []byte
	if a.FS != nil && path != "" {
		var err error
		if content, err = a.FS.ReadFile(path); err == nil {
			argument = d.write(content)
		}
	}
	if _, _, err := valueOf(nil, "unused", "--vars-file", argument); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), argument, filepath.ToSlash(path)))
	}
	var names map[string]interface{}
	if err := yaml.Unmarshal(content, &names); err != nil {
		return err
	}
	a.Vars = StaticVariables{}
	for name := range names {
		value, _, err := valueOf(nil, name, "--vars-file", argument)
		if err != nil {
			return err
		}
		a.Vars[name] = value
	}
	return nil
}
