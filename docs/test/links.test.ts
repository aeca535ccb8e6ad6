import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => join('docs', String(name)))
const pages = [...readdirSync(root), ...docs].filter((name) => name.endsWith('.md'))
const folders = ['packages', 'scripts', 'docs', 'examples', 'bench', 'conformance']
const inFolders = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name))),
)
const code = [...readdirSync(root), ...inFolders].filter((name) => !name.includes('node_modules'))

it.for(pages)('the links of %s have a target', (page) => {
  const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => !/^https?:/.test(link) && !hasTarget(join(root, page), link))
  expect(broken).toEqual([])
})

it.for(pages)('the code files that %s names exist', (page) => {
  const named = [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w./-]+\.(?:tsx?|mjs))`/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !code.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
})

function hasTarget(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (relative(root, target).startsWith('..') || !existsSync(target)) return false
  return anchor === undefined || (statSync(target).isFile() && headingsOf(target).includes(anchor))
}

/** The anchors of the headings. */
const headingsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
