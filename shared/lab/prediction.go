package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/text"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/record"
)

// PredictVariable names the environment variable that answers a lesson's question without a terminal: PREDICT=61.
const PredictVariable = "PREDICT"

// longestAnswer is how much of a line is read as an answer; a number needs less.
const longestAnswer = 1000

// Guess is a lesson's question and what the person predicted, if anything.
type Guess struct {
	question course.Predict
	number   float64
	given    bool
}

// AskFor asks the question of a lesson, the text of a step's README.md, before anything runs. PREDICT answers it where
// it is set; else a person at a terminal does, who may press Enter to skip. A PREDICT that is no number is wrong use.
func AskFor(ctx context.Context, lesson string, out io.Writer) (Guess, error) {
	return ask(ctx, lesson, out, os.Stdin, console.StyleOf(os.Stdin).Terminal && console.StyleOf(out).Terminal)
}

func ask(ctx context.Context, page string, out io.Writer, in io.Reader, person bool) (Guess, error) {
	lesson, err := course.ParseLesson(page)
	if err != nil {
		return Guess{}, fmt.Errorf("the lesson of this step: %w", err)
	}
	guess := Guess{question: lesson.Predict}
	answer := os.Getenv(PredictVariable)
	if answer != "" {
		if guess.number, err = guess.parse(answer); err != nil {
			return Guess{}, cli.Usagef("%s=%.20q %w", PredictVariable, answer, err)
		}
		guess.given = true
	}
	fmt.Fprintln(out, wrap(out, "Predict: "+guess.question.Question))
	switch {
	case guess.given:
		fmt.Fprintf(out, "you say %s\n", guess.show(guess.number))
	case person:
		err = guess.listen(ctx, out, in)
	default:
		fmt.Fprintf(out, "(no prediction; %s=number makes one)\n", PredictVariable)
	}
	return guess, err
}

// listen asks until there is a number, an empty line or the end of the input.
func (g *Guess) listen(ctx context.Context, out io.Writer, in io.Reader) error {
	lines := make(chan string)
	quit := make(chan struct{})
	defer close(quit)
	go readLines(in, lines, quit)
	unit := ""
	if g.question.Unit != "" {
		unit = " in " + g.question.Unit
	}
	for {
		fmt.Fprintf(out, "Your prediction%s (Enter skips): ", unit)
		select {
		case <-ctx.Done():
			fmt.Fprintln(out)
			return ctx.Err()
		case line, ok := <-lines:
			line = strings.TrimSpace(line)
			if !ok {
				fmt.Fprintln(out)
			}
			if line == "" {
				return nil
			}
			number, err := g.parse(line)
			if err == nil {
				g.number, g.given = number, true
				return nil
			}
			fmt.Fprintf(out, "%.20q %v\n", line, err)
		}
	}
}

// readLines sends the lines of in, each cut at a length that no number needs, and closes lines at the end. A read of a
// terminal cannot be cancelled: after a Ctrl-C the goroutine waits for a line until the program ends, which is at once.
func readLines(in io.Reader, lines chan<- string, quit <-chan struct{}) {
	defer close(lines)
	for reader := bufio.NewReader(in); ; {
		line, err := readLine(reader)
		if err != nil && line == "" {
			return
		}
		select {
		case lines <- line:
		case <-quit:
			return
		}
	}
}

// readLine reads up to the next line feed and returns the line's beginning.
func readLine(reader *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part[:min(len(part), longestAnswer-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// written is a number as people write it. A comma stands before three digits: 1,000 is a thousand, and 61,5 is asked
// again and not taken for 615.
var written = regexp.MustCompile(`^[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]*)?$`)

// parse reads 61, 61%, 61.5 and 1,000. The error says what is wanted.
func (g *Guess) parse(answer string) (float64, error) {
	digits := strings.TrimSpace(answer)
	if g.question.Unit != "" {
		digits = strings.TrimSpace(strings.TrimSuffix(digits, g.question.Unit))
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
	switch {
	case err != nil || !written.MatchString(digits):
		return 0, errors.New("is not a number; write it like 61 or 61.5")
	case g.question.Unit == "%" && (number < 0 || number > 100):
		return 0, errors.New("is no percentage from 0 to 100")
	}
	return number, nil
}

// Tell shows what was predicted beside what was measured, and why it is so. numbers are those of the recorded run.
func (g Guess) Tell(out io.Writer, numbers map[string]float64) {
	measured, ok := numbers[g.question.Answer]
	switch {
	case !ok:
		return
	case !g.given:
		fmt.Fprintf(out, "measured: %s\n", g.show(measured))
	default:
		fmt.Fprintf(out, "you predicted %s, measured: %s (%s)\n", g.show(g.number), g.show(measured), g.off(measured))
	}
	if g.question.Why != "" {
		fmt.Fprintln(out, wrap(out, "why: "+g.question.Why))
	}
}

// Recorded is the prediction for the record, or nil where there is none, or nothing measured to hold against it.
func (g Guess) Recorded(numbers map[string]float64) *record.Prediction {
	measured, ok := numbers[g.question.Answer]
	if !g.given || !ok {
		return nil
	}
	return &record.Prediction{
		Question: g.question.Question, Unit: g.question.Unit, Predicted: g.number, Measured: measured,
	}
}

func (g Guess) show(number float64) string {
	unit := g.question.Unit
	if unit != "" && unit != "%" {
		unit = " " + unit
	}
	return figure(number) + unit
}

// off says how far the prediction is off, as a reader of the figures shown would reckon it: 61 and 65 are 4 apart.
func (g Guess) off(measured float64) string {
	if figure(g.number) == figure(measured) {
		return "exactly"
	}
	difference := figure(math.Abs(rounded(measured) - rounded(g.number)))
	switch g.question.Unit {
	case "%":
		return difference + " points off"
	case "":
		return difference + " off"
	}
	return difference + " " + g.question.Unit + " off"
}

// figure prints a number whole from 10 on, and with one decimal below where it has one.
func figure(number float64) string {
	number = rounded(number)
	switch {
	case number != math.Trunc(number):
		return strconv.FormatFloat(number, 'f', 1, 64)
	case math.Abs(number) < 1e15:
		return humanize.Comma(int64(number))
	}
	return strconv.FormatFloat(number, 'g', 3, 64)
}

func rounded(number float64) float64 {
	if tenths := math.Round(number*10) / 10; math.Abs(tenths) < 10 {
		return tenths
	}
	return math.Round(number)
}

// arrow begins a sentence on what there is to see.
const arrow = "-> "

// wrap breaks a sentence into lines for out. Those below an arrow stand in line with its first word.
func wrap(out io.Writer, sentence string) string {
	sentence, pointed := strings.CutPrefix(sentence, arrow)
	first, indent := "", ""
	if pointed {
		first, indent = arrow, strings.Repeat(" ", len(arrow))
	}
	width := console.StyleOf(out).Width - len(indent)
	var lines []string
	for line := range strings.Lines(text.WrapSoft(strings.Join(strings.Fields(sentence), " "), width)) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return first + strings.Join(lines, "\n"+indent)
}
