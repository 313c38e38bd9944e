/**
 * The files of scenarios that the test command runs twice, on an embedded engine like 0.22 and on one like 0.23: those about what the
 * engines do differently, and of everything else one of each kind. All others can be run on either: `pnpm test:engine`.
 */
export const ON_BOTH_ENGINES: readonly string[] = [
  'after-a-crash',
  'engines',
  'http',
  'leases',
  'namespaces',
  'official-sdk',
  'own-namespace',
  'failover',
  'registry',
  'stdio',
  'tools',
  'twin',
  'upgrade',
]
