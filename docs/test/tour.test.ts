// A call passes the files that docs/tour.md describes.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const path = (from: string) => fileURLToPath(new URL(from, import.meta.url))
const tour = readFileSync(path('../tour.md'), 'utf8')

/** The files of the library that a section of the page links to, in its order. */
function filesIn(heading: string): string[] {
  const section = tour.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/\]\(\.\.\/packages\/toolwire\/src\/([^)]+\.ts)\)/g)].map(([, file = '']) => file)
}

/** Policies are off the road: each has a folder, and the call passes only those that concern the tool. */
const isOnRoad = (file: string) => /^(transports|peer|jsonrpc|server|tools)\/|^policy\/policy\.ts/.test(file)
const stationsOf = (files: readonly string[]) => files.filter(isOnRoad).filter((file, at, all) => file !== all[at - 1])

type Trace = { readonly down: readonly string[]; readonly back: readonly string[]; readonly all: readonly string[] }

// The folder is inside of the repository, so that the copy finds the packages that the sources import.
const cache = path('../../node_modules/.cache/')
let folder = ''
beforeAll(() => {
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(`${cache}traced-`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const traces = new Map<string, Promise<Trace>>()

/** The trace of a revision, made once. */
function trace(revision: string): Promise<Trace> {
  const known = traces.get(revision) ?? traceNow(revision)
  traces.set(revision, known)
  return known
}

async function traceNow(revision: string): Promise<Trace> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    path('setup/trace-call.mjs'),
    `${folder}/${revision}`,
    revision,
  ])
  return JSON.parse(stdout)
}

const perRequest = '2026-07-28'
const handshake = '2025-11-25'

describe.each([
  [perRequest, 'A call over HTTP'],
  [handshake, 'The same call in a session'],
])('the road of a plain tools/call at %s', (revision, heading) => {
  it('passes the files of the tour in order, at most 15, and none twice', async () => {
    const { down, back } = await trace(revision)
    const stations = stationsOf(down)
    expect(stations).toEqual([...new Set(stations)])
    const returning = [...new Set(stationsOf(back))].filter((file) => !stations.includes(file))
    expect([...stations, ...returning]).toEqual(filesIn(heading))
    expect(stations.length + returning.length).toBeLessThanOrEqual(15)
  })
})

it('the files beside the road are exactly those that the tour lists', async () => {
  const all = (await Promise.all([perRequest, handshake].map(trace))).flatMap((traced) => traced.all)
  const stations = [...filesIn('A call over HTTP'), ...filesIn('The same call in a session')]
  const asked = new Set(all.filter(isOnRoad).filter((file) => !stations.includes(file)))
  // The tour lists the folders beside the road below these files.
  expect([...asked].sort()).toEqual(filesIn('Asked on the way').sort())
})
