/** What a browser gets at the address of the endpoint. */
export const pageRequirements = {
  'page/served': {
    promise:
      'a browser that opens the address gets one page, with a policy that lets nothing in or out; clients of MCP get what they got before',
    source: 'design',
  },
  'page/local': {
    promise: 'the page is there while the server answers to this machine alone, or where the operator says so',
    source: 'design',
  },
  'page/connect': {
    promise:
      'the page says how each MCP client is connected: address, command, block to copy, and a link where it has one',
    source: 'design',
  },
  'page/tools': {
    promise: 'the page lists the tools of agents, fills their forms in, calls them, and shows each message on demand',
    source: 'design',
  },
  'page/skills': {
    promise:
      'the page shows skills as a tree and as rendered text, whose iii:// links work and whose live sections are marked',
    source: 'design',
  },
  'page/skill-files': {
    promise: 'the page lists the files of a skill, shows texts and pictures, saves others, and follows relative links',
    source: 'design',
  },
  'page/prompts': {
    promise: 'the page completes the arguments of a prompt, and shows the messages that come of it',
    source: 'design',
  },
  'page/why-not': {
    promise: 'what is hidden is not on the page: there is a command for the operator to copy',
    source: 'design',
  },
  'page/runs': {
    promise:
      'where runs are recorded the page shows the newest first, one with its times and its graph, two compared, and the calls of clients between them',
    source: 'design',
  },
  'page/calls': {
    promise: 'a call on the page shows its progress, its questions as forms and its pictures, and can be cancelled',
    source: 'design',
  },
  'page/live': {
    promise: 'what changes on the engine changes on the page, by itself',
    source: 'design',
  },
  'page/away': {
    promise: 'while engine, bridge or registry is away the page says what to do, and comes back by itself',
    source: 'design',
  },
  'page/token': {
    promise:
      'where the server wants a token the page has a form for one and nothing else; the token stays in the memory of the tab',
    source: 'design',
  },
  'page/keyboard': {
    promise: 'everything on the page is reached and used by keys',
    source: 'design',
  },
  'page/phone': {
    promise: 'the page fits a phone',
    source: 'design',
  },
  'page/hostile': {
    promise: 'whatever a server says, on the page nothing of it runs, nothing leaves, and the layout stays',
    source: 'design',
  },
  'page/fast': {
    promise: 'a thousand tools and a thousand skills scroll without a stall',
    source: 'design',
  },
  'page/pictures': {
    promise: 'the documentation shows each view of the page as it is',
    source: 'design',
  },
  'page/accessible': {
    promise: 'nothing on the page is a serious barrier, in the light and in the dark',
    source: 'design',
  },
} as const
