// What a page must never do, noticed by the browser itself.
import type { Page } from 'playwright-core'

export type Watching = { readonly origin: string; readonly onTrouble: (trouble: string) => void }

/** Dialogs, violations of the page's own policy, errors, and requests to anywhere else; of nobody's tab nothing is noticed. */
export async function watch(page: Page, watching: () => Watching | undefined): Promise<void> {
  const onTrouble = (trouble: string) => watching()?.onTrouble(trouble)
  page.on('dialog', (dialog) => {
    onTrouble(`dialog: ${dialog.message()}`)
    const answer = watching() ? dialog.dismiss() : dialog.accept()
    void answer.catch(() => undefined) // the page may be gone
  })
  page.on('pageerror', (error) => onTrouble(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') onTrouble(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('request', (request) => {
    const origin = watching()?.origin
    if (origin !== undefined && !isOwn(request.url(), origin)) onTrouble(`elsewhere: ${request.method()} ${request.url()}`)
  })
  page.on('websocket', (socket) => onTrouble(`elsewhere: ${socket.url()}`))
  await page.exposeFunction('toldOfViolation', (words: string) => onTrouble(`policy: ${words}`))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample, sourceFile }) => {
      const told = (globalThis as unknown as { toldOfViolation(words: string): void }).toldOfViolation // exposed above
      told(`${violatedDirective} ${blockedURI} ${sample} ${sourceFile ?? ''}`)
    })
  })
}

const isOwn = (url: string, origin: string): boolean =>
  url.startsWith(`${origin}/`) || url.startsWith('data:') || url.startsWith(`blob:${origin}/`)
