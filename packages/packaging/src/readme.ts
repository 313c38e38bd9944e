/**
 * A README as it can be read away from the repository, where its relative links lead nowhere.
 *
 * @param repository `https://github.com/OWNER/REPOSITORY`
 * @param folder where the README lies in it: `apps/mcp-bridge`
 */
export function linkToRepository(readme: string, repository: string, folder: string): string {
  return readme.replace(/\]\((?![#/]|[a-z][a-z\d+.-]*:)([^()\s]+)\)/gi, (_, link: string) => {
    const { pathname, hash } = new URL(link, `https://repository/${folder}/`)
    return `](${repository}/blob/HEAD${pathname}${hash})`
  })
}
