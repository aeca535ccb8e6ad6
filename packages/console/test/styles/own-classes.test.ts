// The styles of a view stay loaded after it is left. A class styled by two views would depend on the order of visits.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const styles = fileURLToPath(new URL('../../src/styles/', import.meta.url))
const textOf = (file: string): string => readFileSync(join(styles, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')

/** Stylesheets that the page loads before any view. */
const common = new Set(['page.css', ...[...textOf('page.css').matchAll(/"\.\/(.+?)"/g)].map(([, file = '']) => file)])

/** The classes that a file styles on their own, and not only within another class. */
const classesOf = (file: string): Set<string> => {
  const selectors = [...textOf(file).matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(','))
  return new Set(selectors.flatMap((selector) => /^\s*\.([\w-]+)(?:::?[\w-]+)?\s*$/.exec(selector)?.[1] ?? []))
}

it('no class has styles in the files of two views', () => {
  const places = new Map<string, string[]>()
  for (const file of readdirSync(styles).filter((name) => !common.has(name)))
    for (const name of classesOf(file)) places.set(name, [...(places.get(name) ?? []), file])
  expect(places.size).toBeGreaterThan(100)
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([])
})
