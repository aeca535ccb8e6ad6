import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => join('docs', String(name)))
const pages = [...readdirSync(root), ...docs].filter((name) => name.endsWith('.md'))

it.for(pages)('the links of %s lead somewhere', (page) => {
  const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(join(root, page), link))
  expect(broken).toEqual([])
})

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (relative(root, target).startsWith('..') || !existsSync(target)) return false
  return anchor === undefined || (statSync(target).isFile() && headingsOf(target).includes(anchor))
}

/** Headings as they are linked to. */
const headingsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
