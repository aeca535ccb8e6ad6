// Checks of the text that a page shows, and of elements that hostile text might have added.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Elements and attributes that the page never creates itself. */
export const foreignMarkup = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const never = 'iframe, frame, object, embed, base, style, template, form[action], x-hostile, math, animate, area, marquee'
    const isOwn = (address: string) => address.startsWith('#') || new URL(address, location.href).origin === location.origin
    const isPage = (address: string) => /^https?:$/.test(new URL(address, location.href).protocol)
    const found: string[] = [...document.querySelectorAll(never)].map(({ outerHTML }) => outerHTML)
    for (const element of document.querySelectorAll('*')) {
      const { localName } = element
      const [src, href] = [element.getAttribute('src'), element.getAttribute('href')]
      const names = element.getAttributeNames().filter((name) => /^on|srcdoc|formaction|ping|xlink/.test(name))
      if (names.length > 0) found.push(element.outerHTML)
      if (src !== null && !/^(blob|data):/.test(src) && !isOwn(src)) found.push(element.outerHTML)
      if (localName === 'link' && href !== null && !href.startsWith('data:image/') && !isOwn(href)) found.push(element.outerHTML)
      if (localName === 'a' && href !== null && !isPage(href)) found.push(element.outerHTML)
      if (localName === 'script' && !isOwn(src ?? 'about:inline')) found.push(element.outerHTML)
    }
    if (document.querySelectorAll('script').length !== 1) found.push('more scripts than the one')
    if (document.querySelectorAll('meta').length > 6) found.push('more in the head than there was')
    return found
  })

/** All readable text, including that of fields, without white space, which depends on the layout. */
export const readableText = async (page: Page): Promise<string> => {
  const text = await page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea, option')].map(({ value }) => value)
    return [document.title, document.body.innerText, ...fields].join('\n')
  })
  return text.replaceAll(/\s+/g, '')
}

/** Unmarked hidden characters on the page, except in fields. */
const unmarkedCharacters = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}](?<![\n\t])/gu
    const titles = [...document.querySelectorAll('[title], [aria-label], [placeholder]')].flatMap((element) =>
      ['title', 'aria-label', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
    )
    const texts = [document.title, document.body.textContent ?? '', ...titles]
    return texts.flatMap((text) => [...text.matchAll(hidden)].map(({ index }) => text.slice(Math.max(0, index - 30), index + 10)))
  })

const squeezed = (text: string): string => text.replaceAll(/\s+/g, '')

/** Expects that the texts are readable, and that none of them became markup. */
export async function expectShown(page: Page, wanted: readonly string[]): Promise<void> {
  const missing = async () => {
    const there = await readableText(page)
    return wanted.filter((words) => !there.includes(squeezed(words)))
  }
  await expect.poll(missing, { interval: 200 }).toEqual([])
  expect(await foreignMarkup(page)).toEqual([])
  expect((await unmarkedCharacters(page)).map((text) => JSON.stringify(text))).toEqual([])
}
