# make alone prints what there is. On Windows, where there is no make, every recipe is one go command to type as it is.
#
# The steps are read from the folders steps/NN-name; nothing here lists them. Variables given on the command line reach
# the programs as environment, so `make api BLOOM=off` and `BLOOM=off make api` are the same.

SHELL := /bin/sh
.SUFFIXES:
.DEFAULT_GOAL := help
.PHONY: help api batch load rollback doctor check format vet lint-steps weave weave-check test bench reset setup tools \
	reference reference-check tidy dist ci

DAY ?= 2026-10-30
PORT ?= 8000
BATCH := $(firstword $(wildcard steps/[0-9][0-9]-batch))
API := $(firstword $(wildcard steps/[0-9][0-9]-api))
LOAD := $(firstword $(wildcard steps/[0-9][0-9]-load))
WITH = $(if $(ARGS), $(ARGS))

# say prints a command, then runs it.
say = echo '$(subst ','\'',$(1))'; $(1)

help:
	@go run ./shared/cmd/steps

step-%:
	@step=$$(go run ./shared/cmd/steps --find '$*') && \
	$(call say_step,$$step)

say_step = echo "go run ./steps/$(1)"'$(subst ','\'',$(WITH))' && go run "./steps/$(1)"$(WITH)

api:
	@$(call say,go run ./$(API)$(WITH))

batch:
	@$(call say,go run ./$(BATCH) --day $(DAY)$(if $(THRESHOLD), --threshold $(THRESHOLD))$(if $(FORCE), --force)$(WITH))

load:
	@$(call say,go run ./$(LOAD) --url http://127.0.0.1:$(PORT) --reset$(WITH))

rollback:
	@go run ./shared/cmd/rollback $(if $(TO),--to $(TO))

# doctor runs with settings that let it start, and looks at the person's own.
doctor:
	@cd shared && DOCTOR=1 DOCTOR_GOFLAGS="$$GOFLAGS" DOCTOR_GOWORK="$$GOWORK" DOCTOR_GO111MODULE="$$GO111MODULE" \
	GOFLAGS=-mod=readonly GOWORK=off GO111MODULE=on go run ./cmd/doctor

check: format vet lint-steps weave-check test

format:
	@files=$$("$$(go env GOROOT)/bin/gofmt" -l .) && \
	if [ -n "$$files" ]; then echo "not formatted; run gofmt -w on:"; echo "$$files"; exit 1; fi

vet:
	@go vet work

lint-steps:
	@go run ./shared/cmd/lintsteps

weave-check:
	@go run ./shared/cmd/weave --check

# lint-steps has seen that these are the tests of every module that has a folder here.
test:
	@go test work

bench:
	@go run ./shared/cmd/bench $(ARGS)

reset:
	@go run ./shared/cmd/reset $(if $(YES),--yes)

# Building and vetting everything downloads what programs and tests need, and no more.
setup:
	@go build work
	@go vet work

# The tools that CI uses, at one version for everyone. Nothing else needs them.
TOOLS := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 golang.org/x/vuln/cmd/govulncheck@v1.9.0 \
	github.com/codesenberg/bombardier@v1.2.6

tools:
	@for tool in $(TOOLS); do GOBIN='$(CURDIR)/.tools/bin' go install $$tool || exit 1; done

reference:
	@go run ./shared/cmd/reference $(if $(STEP),--step $(STEP)) $(ARGS)

# Each command of the lessons once more, in its short form: does it still print what its lesson shows?
reference-check:
	@go run ./shared/cmd/reference --check $(if $(STEP),--step $(STEP)) $(ARGS)

weave:
	@go run ./shared/cmd/weave $(if $(STEP),--step $(STEP))

tidy:
	@modules=$$(go list -m -f '{{.Dir}}') && \
	for module in $$modules; do (cd "$$module" && GOWORK=off go mod tidy) || exit 1; done
	@go work use -r .

dist:
	@go run ./shared/cmd/dist

ci:
	@bash .ci/run
