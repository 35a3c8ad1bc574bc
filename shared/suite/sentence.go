package suite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// names are words that keep their capitals, or that the capitals within them would cut.
var names = []string{"SQLite", "DynamoDB", "Bloom", "Zipf", "Windows", "Linux", "Prometheus"}

// Sentence reads the name of a test as the sentence that it is: TestTheBatchPublishesOneWholeVersion says "The batch
// publishes one whole version". The name of a subtest follows after a colon.
func Sentence(test string) string {
	top, subtests, _ := strings.Cut(test, "/")
	var words []string
	for rest := strings.TrimPrefix(top, "Test"); rest != ""; {
		length := wordLength(rest)
		word := rest[:length]
		rest = rest[length:]
		switch {
		case word == "_":
			continue
		case len(words) > 0 && !isName(word) && (len(word) == 1 || word != strings.ToUpper(word)):
			word = strings.ToLower(word)
		}
		words = append(words, word)
	}
	sentence := strings.Join(words, " ")
	if subtests != "" {
		sentence += ": " + strings.ReplaceAll(subtests, "_", " ")
	}
	return sentence
}

// wordLength is the length of the word that text begins with: a name, figures, small letters, a capital with small ones,
// or an abbreviation, whose last capital belongs to the next word where small letters follow it.
func wordLength(text string) int {
	for _, name := range names {
		if strings.HasPrefix(text, name) {
			return len(name)
		}
	}
	capitals := span(text, unicode.IsUpper)
	small := span(text[capitals:], unicode.IsLower)
	switch _, last := utf8.DecodeLastRuneInString(text[:capitals]); {
	case capitals > last && small > 0:
		return capitals - last
	case capitals+small > 0:
		return capitals + small
	}
	_, first := utf8.DecodeRuneInString(text)
	return max(span(text, unicode.IsDigit), first)
}

// span is how many bytes from its start are of one kind of character.
func span(text string, kind func(rune) bool) int {
	return len(text) - len(strings.TrimLeftFunc(text, kind))
}

func isName(word string) bool {
	for _, name := range names {
		if word == name {
			return true
		}
	}
	return false
}
