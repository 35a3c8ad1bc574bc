package weave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/weave"
)

func TestWhatIsTypedByHandIsFound(t *testing.T) {
	for text, want := range map[string]string{
		"```console\n$ x\n```\n":                      `a block of "console" is typed by hand`,
		"```\nx\n```\n":                               `a block of "" is typed by hand`,
		"~~~go\nx\n~~~\n":                             `a block of "go" is typed by hand`,
		"```sh\ngo run ./steps/01-hello\nrm x\n```\n": `"rm x" is typed by hand`,
		"text\n\n    x := 1\n":                        "is an indented block of code",
		"text\n\n\tx := 1\n":                          "is an indented block of code",
		"- item\n\ntext\n\n    x\n":                   "is an indented block of code",
		"a <pre>x</pre>\n":                            "is a block of code in HTML",
		"<!-- weave:output plain -->\n<!-- /weave -->\n```\nx\n```": `a block of "" is typed by hand`,
	} {
		t.Run(text, func(t *testing.T) {
			root := coursetest.Checkout(t)
			coursetest.Write(t, root, lesson, coursetest.Read(t, root, lesson)+"\n"+text)
			problems := weave.Typed(read(t, root))
			require.Len(t, problems, 1)
			require.Equal(t, lesson, problems[0].File)
			require.GreaterOrEqual(t, problems[0].Line, 50)
			require.Contains(t, problems[0].Message, want)
		})
	}
}

func TestWhatMayBeTypedIsLeftAlone(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, lesson, coursetest.Read(t, root, lesson)+"\n```mermaid\nflowchart\n```\n\n```sh\ngo run ./steps/01-hello\n\n```\n"+
		"1. item\n\n    goes on\n\n   and on `<pre>`\n\n<!-- weave:output plain -->\n```console\nx\n```\n<!-- /weave -->\n")
	coursetest.Write(t, root, "CONTRIBUTING.md", "```yaml\na: 1\n```\n```markdown\n<!-- weave:steps -->\n```\n")
	require.Empty(t, weave.Typed(read(t, root)))
}

func TestOutputIsNotTypedOutsideStepsEither(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, "CONTRIBUTING.md", "# x\n```console\n$ x\n```\n")
	problems := weave.Typed(read(t, root))
	require.Len(t, problems, 1)
	require.Equal(t, `CONTRIBUTING.md:2: a block of "console" is typed by hand; only mermaid, sh, powershell, yaml, markdown may be, all else is woven`,
		problems[0].String())
}
