package suite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/suite"
)

func TestANameIsReadAsTheSentenceThatItIs(t *testing.T) {
	for name, want := range map[string]string{
		"TestTheBatchPublishesOneWholeVersion":            "The batch publishes one whole version",
		"TestTheAPISaysThatItHasNoVersion":                "The API says that it has no version",
		"TestABadQuestionIsRefused":                       "A bad question is refused",
		"TestAnAPIThatCannotStartIsAnError":               "An API that cannot start is an error",
		"TestOneBatchedReadOfSQLite":                      "One batched read of SQLite",
		"TestTheFilterOfABloomFilterInDynamoDB":           "The filter of a Bloom filter in DynamoDB",
		"TestNo250MsOfSilence":                            "No 250 ms of silence",
		"TestTheURL":                                      "The URL",
		"TestX":                                           "X",
		"Test":                                            "",
		"Test_underscores_stay_apart":                     "underscores stay apart",
		"TestTheLoad/no_request_fails":                    "The load: no request fails",
		"TestAWrongFlag/a_day_that_is_none/2026-02-30#01": "A wrong flag: a day that is none/2026-02-30#01",
		"TestDerÄltesteWertÜberNacht":                     "Der älteste wert über nacht",
		"\xff":                                            "\xff",
	} {
		require.Equal(t, want, suite.Sentence(name), name)
	}
}

func FuzzEveryNameHasASentence(f *testing.F) {
	f.Add("TestTheAPISays/\xff")
	f.Fuzz(func(t *testing.T, name string) { suite.Sentence(name) })
}
