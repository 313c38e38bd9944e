import { describe, expect, it } from 'vitest'
import { readTelemetryEnvironment } from './environment.ts'

describe("OpenTelemetry's variables", () => {
  it('are as OpenTelemetry has them where none is set', () => {
    expect(readTelemetryEnvironment({})).toMatchObject({
      isNamed: false,
      isDisabled: false,
      tracesUrl: 'http://localhost:4318/v1/traces',
      metricsUrl: 'http://localhost:4318/v1/metrics',
      headers: {},
      timeoutMs: 10_000,
      spansEveryMs: 5_000,
      metricsEveryMs: 60_000,
      resource: { 'service.name': 'iii-mcp' },
      problems: [],
    })
  })

  it('name a collector, how to reach it, and who sends', () => {
    expect(
      readTelemetryEnvironment({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com/otel/',
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://metrics.example.com/in',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b, x-team=ops',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
        OTEL_SERVICE_NAME: 'shop',
      }),
    ).toMatchObject({
      isNamed: true,
      tracesUrl: 'https://collector.example.com/otel/v1/traces',
      metricsUrl: 'https://metrics.example.com/in',
      headers: { 'x-key': 'a b', 'x-team': 'ops' },
      resource: { 'deployment.environment.name': 'test', 'service.name': 'shop' },
      problems: [],
    })
  })

  it('switch a signal off', () => {
    const { tracesUrl, metricsUrl } = readTelemetryEnvironment({ OTEL_METRICS_EXPORTER: 'none' })
    expect([tracesUrl, metricsUrl]).toEqual(['http://localhost:4318/v1/traces', undefined])
    expect(readTelemetryEnvironment({ OTEL_SDK_DISABLED: 'TRUE' }).isDisabled).toBe(true)
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4317', /must be an address such as http:\/\/localhost:4318/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:canary@example.com', /must be an address/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary', /must be name=value/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key=canary%0d%0a', /must be name=value/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key=canary%', /must be name=value/],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /only http\/json/],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', 'canary', /must be a number of milliseconds; 10000 counts/],
    ['OTEL_TRACES_SAMPLER', 'canary', /must be one of always_on, .*; parentbased_always_on counts/],
    ['OTEL_TRACES_SAMPLER_ARG', '7', /must be a number from 0 to 1/],
  ])('%s=%s is told of without its value', (name, value, problem) => {
    const { problems } = readTelemetryEnvironment({ [name]: value })
    expect(problems[0]).toMatch(name)
    expect(problems.join()).toMatch(problem)
    expect(problems.join()).not.toContain('canary')
  })

  it('that cannot be an address send nothing', () => {
    const { tracesUrl, metricsUrl } = readTelemetryEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' })
    expect([tracesUrl, metricsUrl]).toEqual([undefined, undefined])
  })
})
