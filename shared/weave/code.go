package weave

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/course"
)

// code is the block that shows a part of a source file, and a link to where it stands.
func (l loom) code(words []string) (string, error) {
	if len(words) != 1 && len(words) != 2 {
		return "", errors.New("takes a file, and the name of something in it or a #region")
	}
	file := words[0]
	if path.Clean(file) != file || !filepath.IsLocal(filepath.FromSlash(file)) {
		return "", fmt.Errorf("%s is not a path from the root of the checkout", file)
	}
	content, err := os.ReadFile(filepath.Join(l.course.Root, filepath.FromSlash(file)))
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no file %s in the checkout", file)
	}
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimRight(string(course.Unix(content)), "\n"), "\n")
	first, last := 1, len(lines)
	if len(words) == 2 {
		if region, found := strings.CutPrefix(words[1], "#"); found {
			first, last, err = findRegion(lines, region)
		} else {
			first, last, err = findName(file, lines, words[1])
		}
		if err != nil {
			return "", err
		}
	}
	cut := slices.DeleteFunc(slices.Clone(lines[first-1:last]), regionMarker.MatchString)
	return fence(languages[path.Ext(file)], strings.Join(dedent(cut), "\n")) +
		fmt.Sprintf("\n[%s:%d](%s#L%d)\n", file, first, l.link(file), first), nil
}

// link is the path from the page to a file of the checkout.
func (l loom) link(file string) string {
	return strings.Repeat("../", strings.Count(l.page.file, "/")) + file
}

var languages = map[string]string{
	".go": "go", ".sql": "sql", ".java": "java", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".sh": "sh",
	".html": "html", ".js": "js", ".css": "css",
}

var regionMarker = regexp.MustCompile(`^\s*(?://|#|--)\s*weave:(begin|end) (\S+)\s*$`)

// findRegion returns the first and last line between a region's markers.
func findRegion(lines []string, name string) (first, last int, err error) {
	for i, line := range lines {
		match := regionMarker.FindStringSubmatch(line)
		if match == nil || match[2] != name {
			continue
		}
		switch {
		case match[1] == "begin" && first > 0:
			return 0, 0, fmt.Errorf("region %s begins twice, in lines %d and %d", name, first-1, i+1)
		case match[1] == "begin":
			first = i + 2
		case first == 0:
			return 0, 0, fmt.Errorf("region %s ends in line %d and does not begin before", name, i+1)
		case last == 0:
			last = i
		}
	}
	switch {
	case first == 0:
		return 0, 0, fmt.Errorf("no comment weave:begin %s stands in the file", name)
	case last == 0:
		return 0, 0, fmt.Errorf("region %s begins in line %d and does not end", name, first-1)
	case last < first:
		return 0, 0, fmt.Errorf("region %s is empty", name)
	}
	return first, last, nil
}

// findName returns the first and last line of a declaration with its comment.
func findName(file string, lines []string, name string) (first, last int, err error) {
	if path.Ext(file) != ".go" {
		return 0, 0, fmt.Errorf("names are for Go files; mark a region in %s and write #%s", file, name)
	}
	positions := token.NewFileSet()
	source := strings.Join(lines, "\n")
	parsed, err := parser.ParseFile(positions, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	for _, declaration := range parsed.Decls {
		comment, found := declares(declaration, name)
		if !found {
			continue
		}
		start := declaration.Pos()
		if comment != nil {
			start = comment.Pos()
		}
		return positions.Position(start).Line, positions.Position(declaration.End()).Line, nil
	}
	return 0, 0, fmt.Errorf("%s declares no %s", file, name)
}

func declares(declaration ast.Decl, name string) (comment *ast.CommentGroup, found bool) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		full := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			full = receiver(d.Recv.List[0].Type) + "." + full
		}
		return d.Doc, full == name
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				found = found || s.Name.Name == name
			case *ast.ValueSpec:
				found = found || slices.ContainsFunc(s.Names, func(id *ast.Ident) bool { return id.Name == name })
			}
		}
		return d.Doc, found
	}
	return nil, false
}

// receiver is the name of a method's type, without pointer and type parameters.
func receiver(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// dedent takes away the white space that all lines start with.
func dedent(lines []string) []string {
	common, some := "", false
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lead := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if !some {
			common, some = lead, true
		}
		for !strings.HasPrefix(lead, common) {
			common = common[:len(common)-1]
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, common), " \t")
	}
	return lines
}
