package course

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Command is a command line as a lesson shows it: settings, a program and its arguments. It means the same to a POSIX
// shell and to the recorder, which needs no shell.
type Command struct {
	Env  []string // NAME=value, in the order written
	Args []string // the program first
}

var assignment = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)

// ParseCommand splits a command line into words. It knows '…', "…" and the backslash, and refuses what only a shell
// could do: pipes, redirections, variables, wildcards, several commands.
func ParseCommand(line string) (Command, error) {
	words, err := split(strings.TrimSpace(line))
	if err != nil {
		return Command{}, err
	}
	var command Command
	for len(words) > 0 && assignment.MatchString(words[0]) {
		command.Env, words = append(command.Env, words[0]), words[1:]
	}
	command.Args = words
	if len(words) == 0 {
		return Command{}, errors.New("is no command")
	}
	return command, nil
}

// special are the characters that a shell would act on outside quotes.
const special = "|&;<>()$`*?[]~#!{}"

func split(line string) (words []string, err error) {
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		char := line[i]
		switch {
		case char == ' ' || char == '\t' || char == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
			if char == '\n' {
				return nil, errors.New("is more than one line; end a line with a backslash to go on")
			}
		case char == '\\' && i+1 < len(line):
			i++
			if line[i] != '\n' { // a backslash at the end of a line joins it to the next
				word.WriteByte(line[i])
				inWord = true
			}
		case char == '\'' || char == '"':
			end := strings.IndexByte(line[i+1:], char)
			if end < 0 {
				return nil, fmt.Errorf("has a quote %c that does not end", char)
			}
			quoted := line[i+1 : i+1+end]
			if char == '"' && strings.ContainsAny(quoted, "$`\\") {
				return nil, errors.New("uses $, ` or \\ within double quotes, which needs a shell; use single quotes")
			}
			word.WriteString(quoted)
			i += end + 1
			inWord = true
		case strings.IndexByte(special, char) >= 0:
			return nil, fmt.Errorf("uses %c, which needs a shell; a run is one plain command", char)
		default:
			word.WriteByte(char)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// PowerShell is the command for Windows, one line after the other. Settings last for the whole session there, so the
// last lines take them away again. ok is false where the command is the same as for a POSIX shell.
func (c Command) PowerShell() (lines string, ok bool) {
	var before, after string
	for _, setting := range c.Env {
		name, value, _ := strings.Cut(setting, "=")
		before += fmt.Sprintf("$env:%s=\"%s\"; ", name, value)
		after += fmt.Sprintf("\nRemove-Item Env:%s", name)
	}
	args := append([]string(nil), c.Args...)
	if args[0] == "curl" {
		args[0] = "curl.exe" // Windows PowerShell's curl is another program
		// Versions of PowerShell disagree on double quotes within an argument, so the body goes through standard input.
		for i, arg := range args {
			if i > 0 && args[i-1] == "-d" && strings.Contains(arg, `"`) {
				before += powerShellWord(arg) + " | "
				args[i] = "@-"
			}
		}
	}
	for i, arg := range args {
		args[i] = powerShellWord(arg)
	}
	return before + strings.Join(args, " ") + after, before != "" || args[0] == "curl.exe"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=+-]+$`)

func powerShellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", "''") + "'"
}
