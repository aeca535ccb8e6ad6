// Problems that the browser itself reports, such as dialogs, errors and requests to other origins.
import type { Page } from 'playwright-core'

export type Watching = { readonly origin: string; readonly onProblem: (problem: string) => void }

/** Reports dialogs, violations of the content security policy, errors, and requests to other origins. Ignores tabs without a visitor. */
export async function watch(page: Page, watching: () => Watching | undefined): Promise<void> {
  const onProblem = (problem: string) => watching()?.onProblem(problem)
  page.on('dialog', (dialog) => {
    onProblem(`dialog: ${dialog.message()}`)
    const answer = watching() ? dialog.dismiss() : dialog.accept()
    void answer.catch(() => undefined) // the page may be closed
  })
  page.on('pageerror', (error) => onProblem(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') onProblem(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('request', (request) => {
    const origin = watching()?.origin
    if (origin !== undefined && !isOwn(request.url(), origin)) onProblem(`elsewhere: ${request.method()} ${request.url()}`)
  })
  page.on('websocket', (socket) => onProblem(`elsewhere: ${socket.url()}`))
  await page.exposeFunction('reportViolation', (words: string) => onProblem(`policy: ${words}`))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample, sourceFile }) => {
      const report = (globalThis as unknown as { reportViolation(words: string): void }).reportViolation // defined by `exposeFunction` above
      report(`${violatedDirective} ${blockedURI} ${sample} ${sourceFile ?? ''}`)
    })
  })
}

const isOwn = (url: string, origin: string): boolean =>
  url.startsWith(`${origin}/`) || url.startsWith('data:') || url.startsWith(`blob:${origin}/`)
