import { type Browser, chromium } from 'playwright-core'

/** It asks for nothing of its own accord; as root it runs without its sandbox. */
const FLAGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
  '--no-sandbox',
]

/** Starts a Chromium with an empty profile. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS })
}
