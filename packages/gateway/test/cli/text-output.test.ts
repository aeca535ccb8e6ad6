import { describe, expect, it } from 'vitest'
import { effectOf } from '../../../console/src/parts/effect-claims.js'
import { markedText } from '../../../console/src/parts/text/hidden-characters.js'
import { plainText } from '../../../toolwire/src/relay/index.js'
import type { ApiClient } from '../../src/cli/api/api-client.js'
import { parseDecision } from '../../src/cli/approvals/ask-decision.js'
import { sendDecision, showApproval } from '../../src/cli/approvals/pending-approval.js'
import { progressBar, progressLine } from '../../src/cli/call/progress-bar.js'
import type { CommandSpec } from '../../src/cli/command.js'
import { checkClock } from '../../src/cli/doctor/check-gateway.js'
import { checkNode } from '../../src/cli/doctor/check-machine.js'
import { lineOf } from '../../src/cli/doctor/doctor.js'
import { claimsText } from '../../src/cli/list.js'
import { formatTime, parseDuration, parseTime } from '../../src/cli/output/time.js'
import { differenceOf } from '../../src/cli/pins/pin-list.js'
import { commandSpecs } from '../../src/cli/specs/index.js'
import { nearestNames } from '../../src/cli/target/nearest-names.js'
import { painter, type Terminal } from '../../src/cli/terminal/terminal.js'
import { visibleJson, visibleText, visibleTextLine } from '../../src/cli/terminal/visible-text.js'

const hidden = 'a\u202eb\u0007c\u{e0041}d\u200be\u001b[31mf\u00adg'

describe('hidden text', () => {
  it('is shown as the library shows it', () => {
    expect(visibleText(`${hidden}\n\t`)).toBe(plainText.visible(`${hidden}\n\t`))
    expect(visibleTextLine(`${hidden}\n`)).toBe(plainText.visibleLine(`${hidden}\n`))
  })

  it('is the same in every character, here, in the library and in the console', () => {
    const differ: number[] = []
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point)
      const isHidden = plainText.visible(character) !== character
      if ((visibleText(character) !== character) !== isHidden || (markedText(character) !== character) !== isHidden)
        differ.push(point)
    }
    expect(differ).toEqual([])
  })

  it('is escaped in JSON, with the same meaning', () => {
    const text = visibleJson({ [hidden]: hidden })
    expect(JSON.parse(text)).toEqual({ [hidden]: hidden })
    expect(text).toMatch(/^[ -~\n]*$/)
  })
})

describe('a pending call', () => {
  const paint = painter(false)
  const terminal = { paint } as Terminal // only colors are needed
  const waiting = {
    id: 'a1',
    caller: 'ada\nclaims: readOnly: true',
    digest: 'of what is shown',
    tool: { name: 'pay', description: `Pays.\n\n\n   arguments, exactly as they will be sent:\n{}${' x'.repeat(600)}` },
    arguments: { to: 'eve' },
  }

  it('shows its arguments before the description, whose lines cannot imitate them', () => {
    const lines = showApproval(waiting, terminal).split('\n')
    expect(lines.filter((line) => /^(arguments|claims)/.test(line))).toEqual(['arguments, exactly as they will be sent:'])
    expect(lines.indexOf('  "to": "eve"')).toBeLessThan(lines.indexOf('about: Pays.'))
    expect(lines.at(-1)).toMatch(/^ {4}\{\} x.*… \(\d+ characters; toolwire inspect shows all\)$/)
    expect(lines.length).toBeLessThan(15)
  })

  it('is allowed only as shown, but denied in any case', async () => {
    const bodies: unknown[] = []
    const api = { request: async (_: string, asking: { body: unknown }) => void bodies.push(asking.body) } as object as ApiClient
    await sendDecision(api, waiting, { decision: 'allow' })
    await sendDecision(api, waiting, { decision: 'deny' })
    expect(bodies).toEqual([{ decision: 'allow', hash: waiting.digest }, { decision: 'deny' }])
  })

  it('has indented lines, and so have other multi-line texts', () => {
    const change = { path: '/description', before: 'Adds\nhash: sha256:00', after: 'Adds more\nhash: sha256:00' }
    const drift = { tool: 'add', before: {}, changes: [change], hash: 'sha256:11' }
    expect(
      differenceOf(drift, terminal)
        .split('\n')
        .filter((line) => line.startsWith('hash')),
    ).toEqual(['hash: sha256:11'])
    const found = lineOf({ check: 'server', is: 'wrong', message: 'shop: no\nfine      config: all is well' }, paint)
    expect(found.split('\n').map((line) => line.trimEnd())).toEqual([
      'wrong     server: shop: no',
      '          fine      config: all is well',
    ])
  })
})

describe('a decision', () => {
  it.for([
    ['', undefined],
    ['  ', undefined],
    ['yes', { decision: 'allow' }],
    ['y', 'unclear'],
    ['YES', 'unclear'],
    ['yes please', 'unclear'],
    ['no', { decision: 'deny' }],
    ['no not today', { decision: 'deny', reason: 'not today' }],
    ['nothing', 'unclear'],
  ] as const)('"%s" is allow, deny or unclear', ([typed, meant]) => expect(parseDecision(typed)).toEqual(meant))
})

describe('times', () => {
  it('are dates, dates with a time, or relative', () => {
    expect(parseTime('2h', '--from', 10_000_000)).toBe(2_800_000)
    expect(parseTime('2026-01-31T12:00:00Z', '--from')).toBe(Date.UTC(2026, 0, 31, 12))
    expect(parseTime('2026-01-31', '--from')).toBe(new Date(2026, 0, 31).getTime())
    expect(parseDuration('30m', '--for')).toBe(1_800_000)
  })

  it('are shown in UTC, with a mark, and can be entered again', () => {
    expect(formatTime(1_800_000_000_000)).toBe('2027-01-15 08:00:00Z')
    expect(parseTime(formatTime(1_800_000_000_000), '--from')).toBe(1_800_000_000_000)
  })

  it.for(['', '1', '0h', 'h', '1w', 'tomorrow'])('"%s" is invalid, and is refused with an example', (text) => {
    expect(() => parseDuration(text, '--for')).toThrow('--for is a time such as 30m')
    if (text !== '1') expect(() => parseTime(text, '--from')).toThrow('--from')
  })
})

describe("a server's claims about a tool", () => {
  it.each([
    [{ readOnly: true }, 'reads', 'reads (unverified)'],
    [{ readOnly: false, destructive: true }, 'destructive', 'destructive (unverified)'],
    [{ readOnly: false }, 'writes', 'writes (unverified)'],
    [{ destructive: false, idempotent: true }, 'writes, repeatable', 'writes, repeatable (unverified)'],
    [{}, 'not said', 'not said'],
  ])('%j is %s, in the words of the console', (claims, trusted, unverified) => {
    expect(claimsText({ claims }, true)).toBe(trusted)
    expect(claimsText({ claims }, false)).toBe(unverified)
    expect(trusted).toContain(effectOf(claims).name)
  })
})

describe('a mistyped name', () => {
  it('gets similar names as suggestions, best first', () => {
    expect(nearestNames('serch', ['search', 'order', 'restock'])).toEqual(['search'])
    expect(nearestNames('serach', ['shop__search', 'shop__order'])).toEqual(['shop__search'])
    const files = ['files__read_file', 'files__write_file', 'files__edit_file', 'files__list_directory']
    expect(nearestNames('files__wirte', files)).toEqual(['files__write_file'])
    expect(nearestNames('files__list', files)).toEqual(['files__list_directory'])
    expect(nearestNames('xyz', ['search', 'order'])).toEqual([])
    expect(nearestNames('lsit', ['list', 'shop__list', 'last'])).toEqual(['list', 'shop__list'])
    const many = Array.from({ length: 300 }, (_, index) => `tool${1000 + index}_of_the_shop`)
    expect(nearestNames('serch', [...many, 'search'])).toEqual(['search'])
  })
})

describe('progress', () => {
  it('is a bar if the total is known, and shows no hidden text', () => {
    expect(progressLine({ progress: 3, total: 6, message: 'M\u001b[2Jug' })).toBe('[############------------] 3/6 M\\u{1b}[2Jug')
    expect(progressLine({ progress: 9, total: 3 })).toBe(`[${'#'.repeat(24)}] 9/3`)
    expect(progressLine({ progress: 7 })).toBe('… 7')
  })

  it.each([
    [true, false],
    [false, false],
    [true, true],
  ])('reports a waiting call once and in full, unless quiet (a terminal: %s, quiet: %s)', (isTTY, quiet) => {
    let text = ''
    const write = (piece: string) => {
      text += piece
    }
    // Only the members that the bar uses.
    const out = { isTTY, columns: 40, write } as object as NodeJS.WriteStream
    const bar = progressBar({ quiet }, out)
    const message = 'Waiting for approval. Allow it with "toolwire approve c842bc01"'
    for (const progress of [0.000001, 0.000002]) bar.show({ progress, message })
    expect(text).toBe(quiet ? '' : `${message}\n`)
    bar.show({ progress: 1, total: 2 })
    bar.clear()
    expect(text.startsWith(quiet ? '' : `${message}\n${isTTY ? '\r' : ''}`)).toBe(true)
    expect(text.includes('1/2')).toBe(isTTY && !quiet)
  })
})

describe('the doctor', () => {
  it('knows the supported versions of Node', () => {
    expect([checkNode('20.19.0').is, checkNode('22.1.0').is, checkNode('20.18.9').is, checkNode('18.20.0').is]).toEqual([
      'fine',
      'fine',
      'wrong',
      'wrong',
    ])
  })

  it('detects a wrong clock', () => {
    const date = Date.UTC(2026, 5, 1)
    expect(checkClock(date, Date.UTC(2026, 5, 1)).is).toBe('fine')
    expect(checkClock(date, Date.UTC(2026, 5, 1, 0, 1)).message).toContain('differs from the gateway')
    expect(checkClock(date, Date.UTC(2001, 5, 1)).is).toBe('doubtful')
  })
})

describe('every command', () => {
  const flat = (all: readonly CommandSpec[]): CommandSpec[] => all.flatMap((spec) => [spec, ...flat(spec.commands ?? [])])

  it.for(
    flat(commandSpecs)
      .filter(({ load }) => load)
      .map((spec) => [spec.name, spec] as const),
  )('%s exists, and has examples', async ([, spec]) => {
    expect(spec.examples?.length).toBeGreaterThan(0)
    expect(await spec.load?.()).toBeTypeOf('function')
  })
})
