package suite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"example.com/relevance-lab/shared/course"
)

// judges returns the names of the step's checks that judge a recorded run: those that call check.Recorded, themselves
// or through a function beside them.
func judges(step course.Step) ([]string, error) {
	path := filepath.Join(step.Dir, "check_test.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	calls := map[string][]string{} // by function: the functions that it names
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Body == nil || function.Recv != nil {
			continue
		}
		ast.Inspect(function.Body, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.SelectorExpr:
				if from, ok := node.X.(*ast.Ident); ok {
					calls[function.Name.Name] = append(calls[function.Name.Name], from.Name+"."+node.Sel.Name)
				}
			case *ast.Ident:
				calls[function.Name.Name] = append(calls[function.Name.Name], node.Name)
			}
			return true
		})
	}
	var names []string
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && strings.HasPrefix(function.Name.Name, "Test") &&
			reaches(calls, function.Name.Name, "check.Recorded", map[string]bool{}) {
			names = append(names, function.Name.Name)
		}
	}
	return names, nil
}

func reaches(calls map[string][]string, from, goal string, seen map[string]bool) bool {
	if from == goal {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, next := range calls[from] {
		if reaches(calls, next, goal, seen) {
			return true
		}
	}
	return false
}
