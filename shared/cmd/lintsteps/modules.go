package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/course"
)

// module holds the step's go.mod to what lets the step build alone, without go.work.
func module(ctx context.Context, step course.Step) (problems course.Problems) {
	file := step.File("go.mod")
	if _, err := os.Stat(filepath.Join(step.Dir, "go.mod")); err != nil {
		return nil // files tells
	}
	text, err := goCommand(ctx, step.Dir, "mod", "edit", "-json")
	if err != nil {
		return course.Problems{{File: file, Message: err.Error()}}
	}
	var mod struct {
		Module  struct{ Path string }
		Require []struct{ Path string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return course.Problems{{File: file, Message: err.Error()}}
	}
	wrong := func(format string, args ...any) {
		problems = append(problems, course.Problem{File: file, Message: fmt.Sprintf(format, args...)})
	}
	if mod.Module.Path != step.Module() {
		wrong("module is %s; the convention is %s", mod.Module.Path, step.Module())
	}
	replaced := map[string]string{}
	for _, replace := range mod.Replace {
		replaced[replace.Old.Path] = replace.New.Path
	}
	requires := []string{course.ModulePrefix + "shared"}
	for _, require := range mod.Require {
		if strings.HasPrefix(require.Path, course.ModulePrefix) && require.Path != requires[0] {
			requires = append(requires, require.Path)
		}
	}
	if !slices.ContainsFunc(mod.Require, func(r struct{ Path string }) bool { return r.Path == requires[0] }) {
		wrong("does not require %s", requires[0])
	}
	for _, path := range requires {
		if where := "../../" + strings.TrimPrefix(path, course.ModulePrefix); replaced[path] != where {
			wrong("does not replace %s => %s, which it needs to build alone", path, where)
		}
	}
	return problems
}

// workspace holds go.work to what go work use -r . writes, and the modules to having tests, so that go test work
// tests every folder that is a module. It returns the number of modules.
func workspace(ctx context.Context, root string) (modules int, problems course.Problems) {
	folders, err := moduleFolders(root)
	if err != nil {
		return 0, course.Problems{{File: "go.work", Message: err.Error()}}
	}
	if difference, err := workDifference(ctx, root, folders); err != nil {
		return 0, course.Problems{{File: "go.work", Message: err.Error()}}
	} else if difference != "" {
		return 0, course.Problems{{File: "go.work",
			Message: "is not what go work use -r . writes (" + difference + "); run: make tidy"}}
	}
	tested, err := goCommand(ctx, root, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Module.Dir}}{{end}}", "work")
	if err != nil {
		return 0, course.Problems{{File: "go.work", Message: err.Error()}}
	}
	has := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(course.Unix(tested))), "\n") {
		if relative, err := filepath.Rel(real(root), real(line)); line != "" && err == nil {
			has[filepath.ToSlash(relative)] = true
		}
	}
	for _, folder := range folders {
		if !has[folder] {
			problems = append(problems, course.Problem{File: folder,
				Message: "is a module without a test; every module is tested"})
		}
	}
	return len(folders), problems
}

// moduleFolders are the folders that hold a go.mod, from root, with forward slashes.
func moduleFolders(root string) (folders []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if entry.Name() == "go.mod" && !entry.IsDir() {
			relative, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			folders = append(folders, filepath.ToSlash(relative))
		}
		return nil
	})
	return folders, err
}

// workDifference asks the go command itself, in a copy that holds only the module files.
func workDifference(ctx context.Context, root string, folders []string) (difference string, err error) {
	mirror, err := os.MkdirTemp("", "relevance-lab-work-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(mirror)
	copied := []string{"go.work"}
	for _, folder := range folders {
		copied = append(copied, folder+"/go.mod")
	}
	for _, file := range copied {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		to := filepath.Join(mirror, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, course.Unix(text), 0o644); err != nil {
			return "", err
		}
	}
	before, err := os.ReadFile(filepath.Join(mirror, "go.work"))
	if err != nil {
		return "", err
	}
	if _, err := goCommand(ctx, mirror, "work", "use", "-r", "."); err != nil {
		return "", err
	}
	after, err := os.ReadFile(filepath.Join(mirror, "go.work"))
	if err != nil || bytes.Equal(before, after) {
		return "", err
	}
	return changed(string(before), string(after)), nil
}

// changed names the folders that one text has and the other has not.
func changed(before, after string) string {
	was, is := strings.Fields(before), strings.Fields(after)
	var words []string
	for _, word := range is {
		if strings.HasPrefix(word, ".") && !slices.Contains(was, word) {
			words = append(words, word+" is missing")
		}
	}
	for _, word := range was {
		if strings.HasPrefix(word, ".") && !slices.Contains(is, word) {
			words = append(words, word+" is no module")
		}
	}
	if len(words) == 0 {
		return "order or spacing"
	}
	return strings.Join(words, ", ")
}

// goCommand runs the go command in dir, with dir's own go.work where it has one.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK=")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		said := strings.ReplaceAll(strings.TrimSpace(stderr.String()), "\n", "; ")
		return nil, fmt.Errorf("go %s: %s (%w)", strings.Join(args, " "), said, err)
	}
	return output, nil
}

// real is the path without symbolic links, as the go command prints it.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}
