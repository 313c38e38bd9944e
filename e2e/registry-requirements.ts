/** What the skills registry promises to workers and operators, and only whole processes can prove: a part of `requirements.ts`. */
export const registryRequirements = {
  'registry/absent': {
    promise: 'without the registry lists are empty and say why, and a read says which worker is missing',
    source: 'main job',
  },
  'registry/late': {
    promise: 'a registry that comes up later is used without a restart of the bridge',
    source: 'main job',
  },
  'registry/plain-prompts': {
    promise: 'prompts of a registry without `prompts::list` are delegated to it as they are',
    source: 'mcp 0.5.8',
  },

  'store/taken-over': {
    promise: 'a store that another program filled is served by the first registry, and its rows stay as they are',
    source: 'design',
  },
  'store/behind-its-back': {
    promise: 'what is written to the store past the registry shows up within a second or so',
    source: 'design',
  },
  'store/wiped': {
    promise: 'what the engine forgot is written back by registry and publishers, and no list is short in between',
    source: 'design',
  },
  'store/wiped-unread': {
    promise: 'what the engine forgot is written back also when nobody has read it since the registry was started',
    source: 'design',
  },
  'owners/strict': {
    promise:
      'with `ownership: strict` nobody but its owner changes or removes a skill, and the refusal names the owner',
    source: 'security',
  },
  'subscribers/apart': {
    promise: 'every live subscriber hears of the last change, whatever other subscribers do',
    source: 'design',
  },
  'subscribers/internal': {
    promise: 'no subscription makes the registry call an internal function',
    source: 'security',
  },
  'resources/forged': {
    promise: 'no text of a skill can forge a row, a link or HTML in the index, and bodies are served byte for byte',
    source: 'security',
  },
  'prompts/handler': {
    promise: 'a prompt handler that fails, returns another shape, is missing or internal is an error that names it',
    source: 'design',
  },

  'skills/extension': {
    promise:
      'a host that speaks the skills extension lists the skills, reads every file, and finds digest, size and front matter as announced',
    source: 'MCP',
  },
  'skills/changes': {
    promise:
      'whoever has subscribed to a file of a skill hears of its change, and whoever lists skills hears of another description',
    source: 'MCP',
  },
  'skills/nested': {
    promise:
      'a skill that says what it is below another one is in the manifests of both, and everything else below is a file',
    source: 'MCP',
  },
  'skills/errors': {
    promise: 'what is no file or no skill has the error code of its revision, and each answer says how long to keep it',
    source: 'MCP',
  },
  'skills/strict': {
    promise:
      'with `frontmatter: strict` what is no Agent Skill as it is registered is none for hosts either, from the moment on that it is set',
    source: 'design',
  },
  'skills/limits': {
    promise: 'a skill with too many or too large files is refused with the limit, and what was registered before stays',
    source: 'design',
  },
  'skills/inert': {
    promise: 'tools that a skill names, scripts that it has and sections that it links to run for nobody who reads it',
    source: 'security',
  },
  'skills/front-matter': {
    promise: 'readers of YAML in other languages read in each SKILL.md what is announced of it, or lint warns of it',
    source: 'MCP',
  },
  'skills/leases': {
    promise:
      'what a worker publishes with a lease is out of lists while the worker is away, reading it says so, and it is back with the worker',
    source: 'design',
  },
  'skills/fallback': {
    promise: 'hosts without the skills extension read the same files with `skill__fetch`, and list them with it',
    source: 'MCP',
  },

  'operator/list': {
    promise: '`iii-skills` lists, reads and removes skills and prompts of a running registry, as tables and as JSON',
    source: 'design',
  },
  'operator/folders': {
    promise: 'importing what was exported changes nothing, and exporting what was imported gives the same files',
    source: 'design',
  },
  'operator/names': {
    promise: 'files are imported under the names that people give them, and what cannot be a skill is refused by name',
    source: 'design',
  },
  'operator/inside': {
    promise: 'import and export read and write nothing outside of the folder that is named',
    source: 'security',
  },
  'operator/terminal': {
    promise:
      'texts of strangers do nothing to the terminal that a command prints them on, and go byte for byte into a pipe',
    source: 'security',
  },
  'operator/exit-codes': {
    promise:
      'what is refused, missing, wrong usage or out of reach each has its exit code, and says what would be right',
    source: 'design',
  },
  'operator/lint': {
    promise:
      '`iii-skills lint` says of a folder and of the registry which skills are not served as Agent Skills, and what would mend each',
    source: 'design',
  },
  'commands/skills-doctor': {
    promise: '`iii-skills doctor` says who serves the registry, where its rows are kept, and which of them are none',
    source: 'design',
  },
} as const
