package service

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

//go:embed dashboard.html
var dashboardPage string

// newDashboard returns the handler of the live dashboard: one page, which asks this server and nobody else. The
// policy names the checksums of its style and its script, so that no other can run in it.
func newDashboard() gin.HandlerFunc {
	policy := fmt.Sprintf("default-src 'none'; connect-src 'self'; style-src '%s'; script-src '%s'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'", checksum("style"), checksum("script"))
	return func(c *gin.Context) {
		c.Header("Content-Security-Policy", policy)
		c.Header("X-Content-Type-Options", "nosniff")
		c.Header("Cache-Control", "no-cache")
		c.Data(http.StatusOK, "text/html; charset=utf-8", []byte(dashboardPage))
	}
}

// checksum returns the policy's name for the content of the page's one element of that name.
func checksum(element string) string {
	_, rest, _ := strings.Cut(dashboardPage, "<"+element+">")
	content, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(content))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
