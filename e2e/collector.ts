export { startCollector, type TestCollector } from '../apps/mcp-bridge/src/testing/collector.ts'
