// Step 05 asks the API about one product and three creatives, twice, and shows what each layer did.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
)

func main() {
	proc.Dispatch(lab.API())
	cli.Main(run)
}

func run(ctx context.Context) error {
	flags := cli.Flags("Asks the API one question twice. Without --url it starts an API of its own.")
	url := flags.String("url", "", "ask the API that runs at this `address`, such as http://127.0.0.1:8000")
	if err := cli.Parse(flags); err != nil {
		return err
	}
	stage, err := lab.Here()
	if err == nil && *url == "" {
		stage, err = lab.Prepare(ctx, os.Stdout)
	}
	if err != nil {
		return err
	}
	question, err := find(ctx, stage)
	if err != nil {
		return err
	}
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	fmt.Printf("the question, to type while `make api` runs in another terminal:\n"+
		"curl -s localhost:8000/relevance -H 'content-type: application/json' \\\n  -d '%s'\n\n", body)

	if *url == "" {
		server, err := lab.StartAPI(ctx, nil, os.Stdout)
		if err != nil {
			return err
		}
		defer server.Stop()
		*url = server.URL
	}
	layers, err := askTwice(ctx, lab.Client{URL: *url}, body)
	if err != nil {
		return err
	}
	return stage.Record("05-ask", nil, map[string]float64{
		"requests": float64(layers.Requests), "lookups": float64(layers.Lookups), "bloom_no": float64(layers.BloomNo),
		"cache_hits": float64(layers.CacheHits), "db_reads": float64(layers.DBReads), "db_keys": float64(layers.DBKeys),
	}, nil)
}

// find looks for a question with two relevant creatives and one of which this version's filter is certain.
func find(ctx context.Context, stage lab.Stage) (lab.Question, error) {
	build, err := release.At(stage.Home.Data()).Pin()
	if err != nil {
		return lab.Question{}, err
	}
	defer build.Close()
	filter, err := bloom.Load(build.Path(release.FilterFile))
	if err != nil {
		return lab.Question{}, err
	}
	pairs, err := stage.Pairs(ctx)
	if err != nil {
		return lab.Question{}, err
	}
	return lab.FindQuestion(pairs, filter)
}

func askTwice(ctx context.Context, api lab.Client, question []byte) (lab.Layers, error) {
	if err := api.Reset(ctx); err != nil {
		return lab.Layers{}, err
	}
	for range 2 {
		answer, err := api.Ask(ctx, question)
		if err != nil {
			return lab.Layers{}, err
		}
		fmt.Println(answer)
	}
	layers, err := api.Layers(ctx)
	if err != nil {
		return lab.Layers{}, err
	}
	text, err := json.Marshal(layers)
	fmt.Printf("\nwhat each layer did, from /metrics:\n%s\n", text)
	return layers, err
}
