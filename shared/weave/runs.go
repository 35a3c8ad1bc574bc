package weave

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/course"
)

// references keeps the recorded runs that a weaving has read, by the step's folder.
type references map[string]course.Reference

func (r references) of(step course.Step) (course.Reference, error) {
	if known, ok := r[step.Folder]; ok {
		return known, nil
	}
	reference, err := step.Reference()
	if err == nil {
		r[step.Folder] = reference
	}
	return reference, err
}

// command is the block that shows what to type.
func (l loom) command(words []string) (string, error) {
	step, run, err := l.declared(words)
	if err != nil {
		return "", err
	}
	if run.Command == step.Command() {
		return fence("sh", fmt.Sprintf("make step-%d", step.Number)) +
			"\nThe same without make:\n\n" + fence("sh", run.Command), nil
	}
	command, err := course.ParseCommand(run.Command)
	if err != nil {
		return "", err
	}
	windows, differs := command.PowerShell()
	if !differs {
		return fence("sh", run.Command), nil
	}
	return "On macOS and Linux:\n\n" + fence("sh", run.Command) +
		"\nOn Windows, in PowerShell:\n\n" + fence("powershell", windows), nil
}

// output is the block that shows a command and what it printed.
func (l loom) output(words []string) (string, error) {
	step, run, err := l.declared(words)
	if err != nil {
		return "", err
	}
	reference, err := l.references.of(step)
	if err != nil {
		return "", err
	}
	recorded, ok := reference.Run(run.ID)
	again := fmt.Sprintf("record it with: make reference STEP=%d", step.Number)
	if !ok {
		return "", fmt.Errorf("run %s is not recorded yet; %s", run.ID, again)
	}
	if recorded.Command != run.Command {
		return "", fmt.Errorf("run %s was recorded with another command; %s", run.ID, again)
	}
	return fence("console", "$ "+strings.TrimSpace(run.Command)+"\n"+recorded.Output), nil
}

// declared finds the run that a marker names: "publish" of the lesson itself, or "01/publish".
func (l loom) declared(words []string) (course.Step, course.Run, error) {
	if len(words) != 1 {
		return course.Step{}, course.Run{}, errors.New("takes the id of one run, such as 01/publish")
	}
	step, id := l.page.step, words[0]
	if number, rest, found := strings.Cut(id, "/"); found {
		other, ok := l.course.Find(number)
		if !ok {
			return course.Step{}, course.Run{}, fmt.Errorf("there is no step %s", number)
		}
		step, id = &other, rest
	}
	if step == nil {
		return course.Step{}, course.Run{}, fmt.Errorf("this page is no step's lesson; write the step too, such as 01/%s", id)
	}
	run, ok := step.Run(id)
	if !ok {
		return course.Step{}, course.Run{}, fmt.Errorf("%s declares no run %s in its front matter",
			step.File("README.md"), id)
	}
	return *step, run, nil
}

// number is one figure of a recorded run.
func (l loom) number(words []string) (string, error) {
	if len(words) != 2 && len(words) != 3 {
		return "", errors.New("takes a step, the name of a number, and its form where the default does not fit")
	}
	folder, id, ofRun := strings.Cut(words[0], "/")
	step, ok := l.course.Find(folder)
	if !ok {
		return "", fmt.Errorf("there is no step %s", folder)
	}
	reference, err := l.references.of(step)
	if err != nil {
		return "", err
	}
	numbers := reference.Numbers
	if ofRun {
		recorded, ok := reference.Run(id)
		if !ok {
			return "", fmt.Errorf("%s has no run %s", step.File(course.ReferenceFile), id)
		}
		numbers = recorded.Numbers
	}
	value, ok := numbers[words[1]]
	if !ok {
		return "", fmt.Errorf("%s has no number %s; it has %s", step.File(course.ReferenceFile), words[1], names(numbers))
	}
	form := ""
	if len(words) == 3 {
		form = words[2]
	}
	return format(value, form)
}

func names(numbers map[string]float64) string {
	if len(numbers) == 0 {
		return "none"
	}
	list := make([]string, 0, len(numbers))
	for name := range numbers {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func format(value float64, form string) (string, error) {
	decimals, isDecimals := strings.CutPrefix(form, ".")
	switch {
	case form == "percent":
		return humanize.Comma(int64(math.Round(100*value))) + "%", nil
	case form == "comma", form == "" && (value == math.Trunc(value) || math.Abs(value) >= 1000):
		return humanize.Comma(int64(math.Round(value))), nil
	case form == "":
		return strconv.FormatFloat(value, 'f', significant(value), 64), nil
	case isDecimals:
		if n, err := strconv.Atoi(decimals); err == nil && n >= 0 && n <= 9 {
			return humanize.FormatFloat("#,###."+strings.Repeat("#", n), value), nil
		}
	}
	return "", fmt.Errorf("there is no form %q; there are comma, percent, and .1 for one decimal", form)
}

// significant is the number of decimals that shows three significant digits of a value.
func significant(value float64) int {
	return max(0, 2-int(math.Floor(math.Log10(math.Abs(value)))))
}
