package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

func BenchmarkCreate(b *testing.B) {
	rows := someRows(versionASINs, versionRows)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		count, err := sqlite.Create(b.Context(), filepath.Join(b.TempDir(), fmt.Sprint(n)), slices.Values(rows))
		require.NoError(b, err)
		require.Equal(b, versionRows, count)
	}
}

// question is one ASIN with five creatives, of which two or three have a row.
type question struct {
	asin      string
	creatives []string
}

func questions(rows []store.Row, n int) []question {
	draw := rand.New(rand.NewPCG(3, 4))
	asked := make([]question, n)
	for i := range asked {
		at := draw.IntN(len(rows) - 5)
		q := question{asin: rows[at].ASIN}
		for j := range 5 {
			creative := rows[at+j].Creative
			if draw.IntN(2) == 0 {
				creative = fmt.Sprintf("none-%d", draw.IntN(1000))
			}
			q.creatives = append(q.creatives, creative)
		}
		asked[i] = q
	}
	return asked
}

func version(b *testing.B) (*sqlite.DB, []question) {
	rows := someRows(versionASINs, versionRows)
	path := filepath.Join(b.TempDir(), "scores.db")
	_, err := sqlite.Create(b.Context(), path, slices.Values(rows))
	require.NoError(b, err)
	db, err := sqlite.Open(path)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	return db, questions(rows, 1<<14)
}

func BenchmarkReadFiveKeys(b *testing.B) {
	db, asked := version(b)
	ctx := context.Background()

	b.Run("one batched read", func(b *testing.B) {
		b.ReportAllocs()
		into := make([]world.Score, 5)
		for n := 0; b.Loop(); n++ {
			q := asked[n%len(asked)]
			if err := db.Scores(ctx, q.asin, q.creatives, into); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one batched read, each core", func(b *testing.B) {
		b.ReportAllocs()
		var worker atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			into := make([]world.Score, 5)
			for n := int(worker.Add(7919)); pb.Next(); n++ {
				q := asked[n%len(asked)]
				if err := db.Scores(ctx, q.asin, q.creatives, into); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
	b.Run("five single reads", func(b *testing.B) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			q := asked[n%len(asked)]
			for _, creative := range q.creatives {
				if _, _, err := db.One(ctx, q.asin, creative); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("database/sql statement", func(b *testing.B) {
		beneath, err := db.Gorm().DB()
		require.NoError(b, err)
		statement, err := beneath.Prepare(sqlite.BatchedRead(5))
		require.NoError(b, err)
		defer statement.Close()
		b.ReportAllocs()
		var scores [5]sql.NullFloat64
		for n := 0; b.Loop(); n++ {
			q := asked[n%len(asked)]
			c := q.creatives
			err := statement.QueryRow(q.asin, c[0], c[1], c[2], c[3], c[4]).
				Scan(&scores[0], &scores[1], &scores[2], &scores[3], &scores[4])
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gorm Find", func(b *testing.B) {
		b.ReportAllocs()
		type score struct {
			Creative string
			Score    float64
		}
		for n := 0; b.Loop(); n++ {
			q := asked[n%len(asked)]
			var found []score
			err := db.Gorm().Where("asin = ? AND creative IN ?", q.asin, q.creatives).Find(&found).Error
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
