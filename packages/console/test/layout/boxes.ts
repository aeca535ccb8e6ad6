// Finds errors of layout: text and controls that overlap, leave their boxes, or lie outside the screen.
import type { Page } from 'playwright-core'

/** Describes each error in one line. */
export const layoutErrors = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }
    type Thing = { readonly of: Element; readonly box: Box; readonly layer: Element | null; readonly words: string }
    const found: string[] = []
    const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
    const styles = new Map<Element, CSSStyleDeclaration>()
    const styleOf = (element: Element) => {
      const known = styles.get(element) ?? getComputedStyle(element)
      styles.set(element, known)
      return known
    }

    const cut = (one: Box, other: Box): Box => ({
      left: Math.max(one.left, other.left),
      top: Math.max(one.top, other.top),
      right: Math.min(one.right, other.right),
      bottom: Math.min(one.bottom, other.bottom),
    })
    const isThere = ({ left, top, right, bottom }: Box) => right - left > 1.5 && bottom - top > 1.5

    /** The part of a box that no ancestor clips. */
    function visibleBox(element: Element, box: Box, isText = false): Box | undefined {
      if (!element.checkVisibility({ contentVisibilityAuto: true })) return undefined
      let rest = box
      for (let at: Element | null = element; at; at = at.parentElement) {
        const { visibility, opacity, clipPath, overflowX, overflowY, position } = styleOf(at)
        if (visibility === 'hidden' || opacity === '0' || clipPath !== 'none') return undefined
        const { left, top, right, bottom } = at.getBoundingClientRect()
        if (at !== element || isText) {
          const far = 1e6
          if (overflowX !== 'visible') rest = cut(rest, { left, top: -far, right, bottom: far })
          if (overflowY !== 'visible') rest = cut(rest, { left: -far, top, right: far, bottom })
        }
        if (!isThere(rest)) return undefined
        if (position === 'fixed') break
      }
      return rest
    }

    /** The ancestor that moves over the rest of the page, such as a sticky header. */
    function layerOf(element: Element): Element | null {
      for (let at: Element | null = element; at && at !== root; at = at.parentElement)
        if (['fixed', 'sticky'].includes(styleOf(at).position)) return at
      return null
    }

    const short = (text: string) => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 40))
    const nameOf = (element: Element) =>
      `${element.localName}${[...element.classList].map((name) => `.${name}`).join('')} ${short(element.textContent ?? '')}`

    const things: Thing[] = []
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      if (!element || !node.textContent?.trim() || ['SCRIPT', 'STYLE', 'OPTION', 'TEXTAREA'].includes(element.tagName)) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      const isBroken = lines.size > 1 && !node.textContent.includes('\n')
      if (isBroken && element.closest('[role="gridcell"]')) found.push(`broken in its cell: ${nameOf(element)}`)
      if (element.localName === 'p' && styleOf(element).display === 'grid')
        found.push(`a sentence whose parts are on lines of their own: ${nameOf(element)}`)
      for (const rect of range.getClientRects()) {
        const box = visibleBox(element, rect, true)
        if (box) things.push({ of: element, box, layer: layerOf(element), words: `${nameOf(element)}` })
      }
    }
    for (const control of root.querySelectorAll('input, select, textarea, button, progress, canvas, .badge')) {
      const box = visibleBox(control, control.getBoundingClientRect())
      if (box) things.push({ of: control, box, layer: layerOf(control), words: nameOf(control) })
    }

    // Only content of a scrollable element may be wider than the screen.
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide on a screen of ${clientWidth}`)
    for (const { box, words } of things)
      if (box.right > clientWidth + 1 || box.left < -1) found.push(`beside the screen: ${words}`)

    // Things that overlap.
    const mayOverlap = (one: Thing, other: Thing) =>
      one.of === other.of || one.of.contains(other.of) || other.of.contains(one.of) || one.layer !== other.layer
    const sorted = things.sort((one, other) => one.box.top - other.box.top)
    for (const [at, one] of sorted.entries())
      for (let next = at + 1; next < sorted.length; next++) {
        const other = sorted[next]
        if (!other || other.box.top > one.box.bottom - 2) break
        if (mayOverlap(one, other)) continue
        const both = cut(one.box, other.box)
        const lower = Math.min(one.box.bottom - one.box.top, other.box.bottom - other.box.top)
        // Adjacent lines of text overlap a little.
        if (both.right - both.left > 2 && both.bottom - both.top > Math.max(3, 0.3 * lower))
          found.push(`over each other: ${one.words} and ${other.words}`)
      }

    // Things that leave their boxes.
    const boxes = 'button, .badge, [role="tab"], td, th, dd, [role="gridcell"], .card, .field, li, dialog, header, footer'
    for (const { of, box, words } of things) {
      const around = of.closest(boxes)
      if (!around || around === of || !root.contains(around)) continue
      const { left, right } = around.getBoundingClientRect()
      // A trailing blank hangs over the edge of its box, invisibly.
      if (box.right > right + 6 || box.left < left - 6) found.push(`out of its ${nameOf(around)}: ${words}`)
    }

    // Text of the page itself that is cut off and cannot be scrolled.
    for (const control of root.querySelectorAll('button, .badge, h1, h2:not(:has(.text)), [role="columnheader"]')) {
      if (control.closest('.out-of-sight') || !visibleBox(control, control.getBoundingClientRect())) continue
      if (control.scrollWidth > control.clientWidth + 1 && !control.querySelector('.text'))
        found.push(`cut off: ${nameOf(control)}`)
    }
    return [...new Set(found)]
  })
