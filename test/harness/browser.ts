/**
 * Chromium on the pages of a box: one process for a file of tests, a context of its own for each case. What breaks the page's own policy of
 * sources, and what a script throws, fails the case. A machine without a browser skips the file.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { chromiumPath } from './chromium-path.ts'
import { skipFile } from './skip-file.ts'
import { patience } from './waiting.ts'

export type { Page } from 'playwright-core'

export interface CaseOptions extends BrowserContextOptions {
  /** What the console of the browser may say besides, such as of a script that a test injects. */
  readonly expects?: RegExp
}

/** Of a page that a test waits for. */
const waitMs = 30_000

export class Chromium {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Ends the file where there is no browser. */
  static async open(t: Test): Promise<Chromium> {
    const executablePath = chromiumPath()
    if (executablePath === undefined) skipFile('there is no Chromium here: apt-get install chromium-headless-shell')
    const args = ['--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update']
    const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args })
    t.teardown(() => browser.close())
    return new Chromium(browser)
  }

  /** Runs the case in a fresh browser profile. `base`: address of the box. */
  async run(
    t: Test,
    base: string,
    { expects, ...options }: CaseOptions,
    one: (page: Page, context: BrowserContext) => Promise<void>,
  ): Promise<void> {
    const context = await this.#browser.newContext({ baseURL: base, reducedMotion: 'reduce', locale: 'en-US', ...options })
    context.setDefaultTimeout(waitMs * patience)
    const faults: string[] = []
    const note = (fault: string): void => void (expects?.test(fault) === true || faults.push(fault))
    context.on('weberror', (error) => note(String(error.error())))
    context.on('console', (message) => {
      if (/Content Security Policy|Refused to|TrustedHTML|TrustedScript/i.test(message.text())) note(message.text())
    })
    try {
      await one(await context.newPage(), context)
      t.same(faults, [], 'the page keeps to its own policy, and nothing is thrown')
    } finally {
      await context.close()
    }
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const levels = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/** The rules that see another page where only its colours are others. */
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** What axe-core finds wrong with the page as it is (WCAG 2.0 to 2.2, A and AA), or with its colours alone: rule, and where. */
export async function violations(page: Page, of: 'all' | 'colours' = 'all'): Promise<string[]> {
  await page.evaluate(`globalThis.axe === undefined && (() => { ${axe} })()`)
  const run = `axe.run({ runOnly: ${JSON.stringify(of === 'all' ? levels : colours)} })`
  const found = await page.evaluate<{ violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[] }>(run)
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  )
}

/** Pixels by which the page is wider than its window: 0 without sideways scrolling. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/**
 * The page stands still, as a tab that the browser freezes: nothing runs in it until the returned function is called. `announced`: it hears of it
 * before and after, as most are; headless Chromium freezes no page by itself.
 */
export async function standStill(page: Page, announced: boolean): Promise<() => Promise<void>> {
  const say = (event: 'freeze' | 'resume'): Promise<unknown> => page.evaluate(`document.dispatchEvent(new Event('${event}'))`)
  const cdp = await page.context().newCDPSession(page)
  if (announced) await say('freeze')
  await cdp.send('Debugger.enable')
  const paused = new Promise((resolve) => cdp.once('Debugger.paused', resolve))
  await cdp.send('Debugger.pause')
  await paused
  return async () => {
    await cdp.detach()
    if (announced) await say('resume')
  }
}
