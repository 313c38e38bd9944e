export {
  type AnyGrant,
  catalogsOf,
  createAsker,
  grantsOfAllKinds,
  having,
  lookEverywhere,
  serveCatalog,
  toOneDecision,
} from '../apps/mcp-bridge/src/testing/surfaces.ts'
