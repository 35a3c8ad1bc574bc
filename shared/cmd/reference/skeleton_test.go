package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
)

func shape(text string, cpus ...string) []string {
	lines, _ := skeleton(text, cpus...)
	return lines
}

func TestFiguresDoNotChangeTheSkeleton(t *testing.T) {
	for _, pair := range [][2]string{
		{"wrote 276,536 rows to sqlite in 0.8s", "wrote 9 rows to sqlite in 812ms"},
		{"p50 59.1  p99 457.5  max 864.8", "p50 9  p99 1,457.5  max 0.0001"},
		{"took 12µs", "took 3.4ms"}, {"took 12 µs", "took 3.4 ms"}, {"took 1m30s", "took 2s"}, {"in 1.5e-05", "in 2"},
		{"change -3.2%", "change 12%"}, {"(324 KiB)", "(1.2 MiB)"}, {"file 3f9c2a1b9d", "file 0123456789abcdef"},
		{`"version":"2026-10-30","build":"2026-10-30-3f9c2a1b"`, `"version":"2027-01-02","build":"2027-01-02-00000000"`},
		{"at 2026-10-30T01:02:03Z", "at 2026-10-30T01:02:03.5+02:00"}, {"go1.26.8", "go1.27"}, {"linux/amd64", "darwin/arm64"},
		{"a    1\nb   12", "a 1000\nb    1"}, {"|-----|---|", "|---|-----|"}, {"█████ 5", "█ 1"}, {"┌────┐", "┌─┐"},
		{"1 s: 100\n2 s: 200\n3 s: 300\ndone", "1 s: 100\ndone"}, {"http://127.0.0.1:8000/x", "http://127.0.0.1:43127/x"},
		{"on CPU A v2, 2 cores", "on Processor B, 16 cores"}, {"end\n\n", "end"},
	} {
		require.Equal(t, shape(pair[0], "CPU A v2", "Processor B"), shape(pair[1], "CPU A v2", "Processor B"))
	}
}

func TestWordsDoChangeTheSkeleton(t *testing.T) {
	for _, pair := range [][2]string{
		{"wrote 5 rows", "stored 5 rows"}, {"p50 1", "p99 1"}, {"p99 1", "p99.9 1"}, {"a 1", "a"}, {"a 1 b 2", "a 1"},
		{"5%", "5"}, {"x\ny", "y\nx"}, {"x", "x\n1"}, {"latency_p50_ms 1", "latency_p99_ms 1"}, {`{"a":1}`, `{"b":1}`},
	} {
		require.NotEqual(t, shape(pair[0]), shape(pair[1]))
	}
}

func TestADifferenceShowsTheLinesAsPrinted(t *testing.T) {
	was, wasLines := skeleton("a 1\nb 2\nc 3")
	is, isLines := skeleton("a 9\nx 8\nc 7\nd 6")
	require.Equal(t, "- b 2\n+ x 8\n+ d 6", difference(was, is, wasLines, isLines))
	require.Empty(t, difference(was, was, wasLines, wasLines))
}

func TestPortsAreSwappedAndRestored(t *testing.T) {
	ports, err := findPorts([]course.Run{{Command: "PORT=8001 x --port 8002 http://localhost:8003/y", Short: "x --port=8004"}})
	require.NoError(t, err)
	require.Len(t, ports, 5)
	command := ports.swap(course.Command{Env: []string{"PORT=8001", "N=8000"},
		Args: []string{"x", "--port", "8002", "http://localhost:8003/y", "--rows", "8000", "127.0.0.1:8000"}})
	require.Equal(t, course.Command{Env: []string{"PORT=" + ports["8001"], "N=8000"},
		Args: []string{"x", "--port", ports["8002"], "http://localhost:" + ports["8003"] + "/y", "--rows", "8000", "127.0.0.1:" + ports["8000"]}}, command)
	free := ports["8000"]
	require.Equal(t, "on 127.0.0.1:8000, port 8000, PORT=8000, "+free+" rows, :"+free+"7",
		ports.restore("on 127.0.0.1:"+free+", port "+free+", PORT="+free+", "+free+" rows, :"+free+"7"))
}

func TestTheHostNameIsFoundAsAWord(t *testing.T) {
	require.True(t, containsWord("on vm, 2 cores", "vm"))
	require.True(t, containsWord("vm", "vm"))
	require.False(t, containsWord("vmstat and kvm and vm-like", "vm"))
}
