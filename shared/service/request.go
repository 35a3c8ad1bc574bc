package service

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
)

// Limits of one request.
const (
	MaxCreatives = 500
	MaxIDBytes   = 64
	MaxBodyBytes = 64 << 10
)

// problem is why a request is not answered with scores: the HTTP status, and what the JSON error says.
type problem struct {
	status  int
	Message string `json:"error"`
	Field   string `json:"field,omitempty"` // the part of the request that is wrong
}

func wrong(status int, field, format string, args ...any) *problem {
	return &problem{status: status, Field: field, Message: field + ": " + fmt.Sprintf(format, args...)}
}

func bad(field, format string, args ...any) *problem {
	return wrong(http.StatusBadRequest, field, format, args...)
}

// readBody reads the request's body into dst's memory.
func readBody(r *http.Request, dst []byte) ([]byte, *problem) {
	if kind := r.Header.Get("Content-Type"); !isJSON(kind) {
		return dst, wrong(http.StatusUnsupportedMediaType, "Content-Type", "want application/json, got %q", cut(kind))
	}
	for _, coding := range r.Header["Content-Encoding"] {
		if coding != "" && coding != "identity" {
			return dst, wrong(http.StatusUnsupportedMediaType, "Content-Encoding", "want none, got %q", cut(coding))
		}
	}
	if r.ContentLength > MaxBodyBytes {
		return dst, tooLarge()
	}
	dst = dst[:0]
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Body.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) > MaxBodyBytes:
			return dst, tooLarge()
		case errors.Is(err, io.EOF):
			return dst, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return dst, wrong(http.StatusRequestTimeout, "body", "it did not arrive in time")
		case err != nil:
			return dst, bad("body", "it did not arrive whole")
		}
	}
}

func tooLarge() *problem {
	return wrong(http.StatusRequestEntityTooLarge, "body", "at most %s bytes", humanize.Comma(MaxBodyBytes))
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, parameters, err := mime.ParseMediaType(contentType)
	charset, named := parameters["charset"]
	return err == nil && media == "application/json" && (!named || strings.EqualFold(charset, "utf-8"))
}
