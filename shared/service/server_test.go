package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

var listening = regexp.MustCompile(`listening on (http://127\.0\.0\.1:\d+) \(Ctrl\+C stops it\)`)

// serve runs a server until stop is called, which returns how Serve ended.
func serve(t *testing.T, config service.Config, source service.Source, told *lines) (url string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, config, source, told) }()
	t.Cleanup(cancel)
	require.Eventually(t, func() bool { return listening.MatchString(told.String()) }, patience, aMoment)
	return listening.FindStringSubmatch(told.String())[1], func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(patience):
			return errors.New("it does not end")
		}
	}
}

func TestAServerSaysWhatItServesAndWhereAndLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	data := t.TempDir()
	pairs := publish(t, data, small(), world.FirstDay)
	config := service.Default()
	config.Port = 0
	var told lines
	url, stop := serve(t, config, service.Disk(release.At(data)), &told)
	w := pairs.World()
	ask(t, url, w.ASIN(1), w.Creative(1), w.Creative(2), w.Creative(3))
	require.Equal(t, fmt.Sprintf("serving version 2026-10-30 (%s rows)\nlistening on %s (Ctrl+C stops it)\n",
		comma(pairs.Len()), url), told.String())
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, stop())
}

func comma(n int) string {
	return regexp.MustCompile(`(\d)(\d{3})$`).ReplaceAllString(fmt.Sprint(n), "$1,$2")
}

func TestABusyPortIsNamedWithTheWayOut(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	config := service.Default()
	config.Port = busy.Addr().(*net.TCPAddr).Port
	var told bytes.Buffer
	err = service.Run(t.Context(), config, release.At(t.TempDir()), &told)
	require.EqualError(t, err, fmt.Sprintf("port %d on 127.0.0.1 is busy; stop the program that holds it, or choose "+
		"another with --port %d", config.Port, config.Port+1))
	require.Empty(t, told.String(), "no version was loaded for nothing")
}

func TestAnAddressOfAnotherMachineIsNamedWithTheWayOut(t *testing.T) {
	config := service.Default()
	config.Host, config.Port = "192.0.2.1", 0
	err := service.Run(t.Context(), config, release.At(t.TempDir()), &lines{})
	require.ErrorContains(t, err, "192.0.2.1")
	require.ErrorContains(t, err, "HOST")
	require.NotContains(t, err.Error(), "\n")
}

func TestADrainingServerSaysSoAndAnswersWhatIsInFlight(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	asked, resume := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context, asin string, creatives []string, into []world.Score) error {
		close(asked)
		<-resume
		return found(ctx, asin, creatives, into)
	}
	config := service.Default()
	config.Port, config.Bloom, config.DBBudget = 0, false, patience
	var told lines
	url, stop := serve(t, config, scripted{scores: database(slow)}, &told)
	answered := make(chan answer, 1)
	go func() { answered <- ask(t, url, "A", "cr-1") }()
	<-asked
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	require.Eventually(t, func() bool {
		response, err := http.Get(url + "/healthz")
		if err != nil {
			return false
		}
		said := read(t, response)
		return response.StatusCode == http.StatusServiceUnavailable && response.Close && strings.Contains(said, "draining")
	}, patience, aMoment, "a load balancer sees it, and is told to connect elsewhere")
	require.Eventually(t, func() bool {
		response, err := http.Get(url + "/healthz")
		if err == nil {
			_ = response.Body.Close()
		}
		return err != nil
	}, patience, aMoment, "then the door closes")
	select {
	case err := <-stopped:
		require.Fail(t, "a request is in flight", "%v", err)
	default:
	}
	close(resume)
	require.Equal(t, map[string]float64{"cr-1": want("cr-1")}, (<-answered).Scores)
	require.NoError(t, <-stopped)
	http.DefaultClient.CloseIdleConnections()
}

func TestAConnectionThatSaysNothingDoesNotHoldUpTheEnd(t *testing.T) {
	config := service.Default()
	config.Port = 0
	var told lines
	url, stop := serve(t, config, scripted{scores: database(found)}, &told)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	get(t, url+"/healthz") // by now the other connection was accepted too
	http.DefaultClient.CloseIdleConnections()
	began := time.Now()
	require.NoError(t, stop())
	require.Less(t, time.Since(began), 3*time.Second)
}

func TestHeadersHaveALimit(t *testing.T) {
	config := service.Default()
	config.Port = 0
	var told lines
	url, stop := serve(t, config, scripted{scores: database(found)}, &told)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\nX-Long: " + strings.Repeat("x", 64<<10)))
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	head := make([]byte, 12)
	_, err = conn.Read(head)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 431", string(head))
	require.NoError(t, stop())
}

func TestAPanicIsAJSONErrorAndNotTheEndOfTheServer(t *testing.T) {
	config := service.Default()
	config.Bloom = true
	var told lines
	url := start(t, service.New(config, withoutFilter{}, &told)) // asking a filter that is not there panics
	status, text := post(t, url, question("cr-1"))
	require.Equal(t, http.StatusInternalServerError, status)
	require.JSONEq(t, `{"error":"the server made a mistake; its output says which"}`, text)
	require.Equal(t, 1, told.count("POST /relevance panicked"))
	require.EqualValues(t, 1, metrics(t, url).Errors)
	require.Zero(t, metrics(t, url).InFlight)
}

type withoutFilter struct{ scripted }

func (withoutFilter) Load(ctx context.Context) (*service.Version, error) {
	version, err := scripted{scores: database(found)}.Load(ctx)
	version.Filter = nil
	return version, err
}
