package service

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"

	"github.com/gin-gonic/gin"

	"example.com/relevance-lab/shared/world"
)

// newRouter returns the routes. gin's own logger is left out, because it costs some 15% of the requests per second.
func newRouter(s *Service) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.HandleMethodNotAllowed = true
	router.RedirectTrailingSlash = false
	router.Use(s.recover)
	router.NoRoute(func(c *gin.Context) {
		s.refuse(c, wrong(http.StatusNotFound, "path", "there is no %s", shown(c.Request.URL.Path)))
	})
	router.NoMethod(func(c *gin.Context) {
		s.refuse(c, wrong(http.StatusMethodNotAllowed, "method", "%s takes %s, got %s",
			c.Request.URL.Path, c.Writer.Header().Get("Allow"), shown(c.Request.Method)))
	})
	text := newPrometheus(s)
	router.POST("/relevance", s.relevance)
	router.GET("/healthz", s.healthz)
	router.GET("/metrics", func(c *gin.Context) { s.metrics(c, text) })
	router.POST("/metrics/reset", s.reset)
	router.GET("/", newDashboard())
	return router
}

// refuse answers with a JSON error.
func (s *Service) refuse(c *gin.Context, p *problem) {
	s.tally.add(counts{Rejected: 1})
	c.AbortWithStatusJSON(p.status, p)
}

// recover answers a request that panicked, and keeps the panic from ending the server.
func (s *Service) recover(c *gin.Context) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(reason) // asks net/http to drop the connection
		}
		s.tally.add(counts{Errors: 1})
		s.voice.complain("%s %s panicked: %v\n%s", c.Request.Method, c.Request.URL.Path, reason, debug.Stack())
		if !c.Writer.Written() {
			mistake := &problem{Message: "the server made a mistake; its output says which"}
			c.AbortWithStatusJSON(http.StatusInternalServerError, mistake)
		}
	}()
	c.Next()
}

// health is the answer of GET /healthz.
type health struct {
	Status    string      `json:"status"`
	Version   world.Day   `json:"version"`
	Build     string      `json:"build"`
	Rows      int         `json:"rows"`
	World     string      `json:"world"`
	Seed      uint64      `json:"seed"`
	Threshold world.Score `json:"threshold"`
}

// unhealthy is the answer of GET /healthz to a load balancer that should send its requests elsewhere.
type unhealthy struct {
	Status string `json:"status"`
	Error  string `json:"error"`
}

// noVersion is what a request is told before the first version is loaded.
const noVersion = "no data version loaded yet"

func (s *Service) healthz(c *gin.Context) {
	if s.draining.Load() {
		c.JSON(http.StatusServiceUnavailable, unhealthy{"draining", "draining: the server is about to stop"})
		return
	}
	snapshot := s.current.acquire()
	if snapshot == nil {
		c.JSON(http.StatusServiceUnavailable, unhealthy{"no version", noVersion})
		return
	}
	defer snapshot.release()
	m := snapshot.Manifest
	c.JSON(http.StatusOK, health{"ok", m.Day, m.Build, m.Rows, m.World, m.Seed, m.Threshold})
}

// metrics answers in Prometheus's text form where the Accept header names that, and in JSON otherwise.
func (s *Service) metrics(c *gin.Context, text http.Handler) {
	c.Header("Vary", "Accept")
	switch c.NegotiateFormat(gin.MIMEJSON, gin.MIMEPlain, "application/openmetrics-text") {
	case gin.MIMEPlain, "application/openmetrics-text":
		text.ServeHTTP(c.Writer, c.Request)
	default:
		c.JSON(http.StatusOK, s.Metrics())
	}
}

// reset sets the counters to zero for a caller on this machine, as told by the connection itself: a header such as
// X-Forwarded-For says whatever its sender likes.
func (s *Service) reset(c *gin.Context) {
	host, _, err := net.SplitHostPort(c.Request.RemoteAddr)
	address, parseErr := netip.ParseAddr(host)
	if err != nil || parseErr != nil || !address.Unmap().IsLoopback() {
		s.refuse(c, wrong(http.StatusForbidden, "caller", "only a program on the server's own machine may do this"))
		return
	}
	if err := http.NewCrossOriginProtection().Check(c.Request); err != nil { // a web page of somebody else's
		s.refuse(c, wrong(http.StatusForbidden, "caller", "not from another site's page"))
		return
	}
	s.tally.reset()
	c.JSON(http.StatusOK, gin.H{"status": "reset"})
}
