package weave

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParsingLosesNothing holds that a page is put together again from its pieces, whatever it holds.
func FuzzParsingLosesNothing(f *testing.F) {
	for _, page := range []string{
		"---\na: 1\n---\ntext\n", "<!-- weave:output x -->\na\n<!-- /weave -->", "```\n<!-- weave:x -->\n", "a\n~~~~go\n```\n~~~\n~~~~\nb",
		"x <!-- weave:number 01 a -->1<!-- /weave --> `<!-- /weave -->` y\n", "  <!-- weave:code a b -->\n  ```\n  <!-- /weave -->\n  ```\n  <!-- /weave -->\n",
	} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		var joined strings.Builder
		for _, piece := range parse(page) {
			if piece.err != nil {
				return
			}
			joined.WriteString(piece.open + piece.text + piece.close)
		}
		require.Equal(t, page, joined.String())
	})
}

func TestHeadingsInFencesAndMarkersAreNone(t *testing.T) {
	page := "---\na: 1\n---\n# One\n## Two\n```\n## no\n```\n<!-- weave:output x -->\n## no\n<!-- /weave -->\n## Three \n### no\n"
	require.Equal(t, []Heading{{"Two", 5}, {"Three", 12}}, Headings(page, 2))
}
