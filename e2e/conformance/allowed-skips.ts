/** The scenarios that the suite may skip as a whole, and why. Whatever else it skips is a failure. */

const NO_EXTENSION =
  'the bridge does not declare io.modelcontextprotocol/skills: its skills are resources of the core protocol'

export const ALLOWED_SKIPS: Readonly<Record<string, string>> = {
  'sep-2640-skills-directory': NO_EXTENSION,
  'sep-2640-skills-enumeration': NO_EXTENSION,
  'sep-2640-skills-manifest': NO_EXTENSION,
  'tasks-status-notifications':
    'the suite looks for these notifications where they were before SEP-2663, and skips itself',
}
