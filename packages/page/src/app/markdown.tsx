import DOMPurify, { type Config } from 'dompurify'
import { Marked, type Token } from 'marked'
import { toHash } from './places.ts'
import { resolveLink } from './skill-files.ts'

/** HTML within markdown is shown as it is written: an agent reads it as text, and a person should see what an agent reads, comments too. */
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: { html: ({ text, block }) => (block ? `<p>${escapeHtml(text)}</p>` : escapeHtml(text)) },
})
/** Nothing else leads out of this page. */
const LINKS = /^(?:https?:|iii:|skill:|mailto:|#)/i
const CONFIG: Config = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: [
    'style',
    'form',
    'input',
    'button',
    'textarea',
    'select',
    'option',
    'audio',
    'video',
    'dialog',
    'picture',
  ],
  FORBID_ATTR: ['style', 'class', 'id', 'name', 'target', 'srcset', 'tabindex', 'autofocus', 'popover', 'background'],
  ALLOWED_URI_REGEXP: LINKS,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
}

/**
 * Markdown of a stranger as HTML that runs nothing, loads nothing, and looks like text of this page. Links to `iii://` and `skill://` stay in
 * the page; those to a section, which a function writes when it is read, are marked.
 *
 * @param base the file that it is, in `skill://`: relative links lead from there. Without it they lead nowhere
 */
export function toSafeHtml(markdown: string, base?: string): string {
  const walkTokens = (token: Token) => {
    if (base !== undefined && token.type === 'link') token.href = resolveLink(token.href, base) ?? token.href
  }
  const fragment = DOMPurify.sanitize(
    marked.parse(markdown, { async: false, walkTokens }),
    CONFIG,
  ) as unknown as DocumentFragment
  for (const image of fragment.querySelectorAll('img')) {
    image.replaceWith(`[${image.getAttribute('alt') || 'picture'}]`)
  }
  for (const link of fragment.querySelectorAll('a')) {
    const href = link.getAttribute('href') ?? ''
    if (/^(?:iii|skill):/i.test(href)) {
      link.setAttribute('href', toHash('skills', href))
      if (href.startsWith('iii://fn/')) link.classList.add('live')
    } else {
      link.setAttribute('target', '_blank')
      link.setAttribute('rel', 'noopener noreferrer nofollow')
    }
  }
  const box = document.createElement('div')
  box.append(fragment)
  return box.innerHTML
}

export function Markdown({ text, base }: { text: string; base?: string | undefined }) {
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: toSafeHtml(text, base) }} />
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
