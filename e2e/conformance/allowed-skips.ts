/** The scenarios that the suite may skip as a whole, and why. Whatever else it skips is a failure. */

export const ALLOWED_SKIPS: Readonly<Record<string, string>> = {
  'tasks-status-notifications':
    'the suite looks for these notifications where they were before SEP-2663, and skips itself',
}

const UNLISTED =
  'the suite looks for SKILL.md in resources/list, where skills have their iii:// addresses: the same facts are in the directory that it lies in'

/** Checks that the suite can only make of a server that lists everything twice, and why ours does not. */
export const UNOBSERVABLE_CHECKS: Readonly<Record<string, string>> = {
  'sep-2640-skillmd-metadata-name': UNLISTED,
  'sep-2640-skillmd-metadata-description': UNLISTED,
}
