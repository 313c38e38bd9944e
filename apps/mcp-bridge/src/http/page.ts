import { loadPage } from '@iii/page'
import { type FrontDoorRules, isLocalOnly } from './host-and-origin.ts'
import type { HttpReply } from './reply.ts'
import type { IncomingRequest } from './request.ts'

/** What a browser is told about the page beside its policy: it is nothing for other sites, and says nothing to them. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Clients of MCP ask for events; a browser asks for a page. */
const ASKS = /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i

/** Whether a GET gets the page: it is for whoever may reach the port, and by default that has to be this machine alone, or somebody with a token. */
export function isPageFor({ headers }: IncomingRequest, { page, ...rules }: FrontDoorRules): boolean {
  return ASKS.test(headers['accept'] ?? '') && (page === undefined ? isForAnybody(rules) : page === 'on')
}

/** Without a token the page shows nothing but where to write one. */
function isForAnybody(rules: FrontDoorRules): boolean {
  return rules.auth?.mode === 'required' || isLocalOnly(rules)
}

let reply: Promise<HttpReply> | undefined

/** The page that shows what agents see: one text, the same for everybody, which calls this server like any other client. */
export function toPageReply(): Promise<HttpReply> {
  reply ??= readReply().catch((error: unknown) => {
    reply = undefined
    throw error
  })
  return reply
}

async function readReply(): Promise<HttpReply> {
  const { html, policy } = await loadPage()
  return { status_code: 200, headers: { ...HEADERS, 'content-security-policy': policy }, body: html }
}
