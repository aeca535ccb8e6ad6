import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { explain, RulesError, readRules, ruleSetSchema, runCases } from '../../../src/rules.js'
import { compileTrusted } from '../../../src/schema/compile-schema.js'
import { watchLoop } from '../../loop-watch.js'

it.each(['yaml', 'json'] as const)('a byte order mark before rules in %s makes no difference', async (format) => {
  const { set } = await readRules('\ufeff{ "default": "ask", "rules": [] }', { format })
  expect(set).toEqual({ default: 'ask', rules: [] })
})

const yaml = `# Who may do what
version: 1
default: deny
rules:
  - name: reading below /srv
    when:
      server: files
      tool: [read_*, list_*]
      arguments:
        path: { under: /srv }
    decision: allow
    limit: { calls: 60, per: minute }
  - name: writing
    when: { tool: write_* }
    decision: ask
    because: writing needs a person
cases:
  - call: { server: files, tool: read_file, arguments: { path: /srv/a } }
    expect: allow
    rule: reading below /srv
  - call: { server: files, tool: read_file, arguments: { path: /srv/../etc/passwd } }
    expect: deny
    rule: null
`

async function problemsOf(text: string, format: 'json' | 'yaml' = 'yaml') {
  const thrown = await readRules(text, { format, file: `policy.${format}` }).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(RulesError)
  return thrown as RulesError
}

describe('a file of rules', () => {
  it('has the same meaning in YAML and in JSON', async () => {
    const book = await readRules(yaml)
    const same = await readRules(JSON.stringify(book.set, null, 2), { format: 'json' })
    expect(same.set).toEqual(book.set)
    for (const each of [book, same]) {
      expect(explain(each, { server: 'files', tool: 'list_all', arguments: { path: '/srv' } })).toMatchObject({
        decision: 'allow',
      })
      expect(explain(each, { tool: 'write_file' })).toMatchObject({ decision: 'ask', rule: 'writing' })
    }
    expect(compileTrusted(ruleSetSchema).check(book.set)).toEqual([])
  })

  it.each([
    ['an unknown key', 'rules:\n  - name: a\n    decision: allow\n    wen: {}\n', 4, /wen/],
    ['a misspelled condition', 'rules:\n  - name: a\n    decision: allow\n    when: { toool: x }\n', 4, /toool.*tool/],
    ['no decision', 'rules:\n  - name: a\n\n  - name: b\n    decision: deny\n', 2, /decision/],
    ['an unknown decision', 'rules:\n  - name: a\n    decision: permit\n', 3, /"allow"/],
    [
      'the same name twice',
      'rules:\n  - { name: a, decision: deny }\n  - { name: a, decision: allow }\n',
      3,
      /another rule called "a"/,
    ],
    [
      'an invalid schema',
      'rules:\n  - name: a\n    decision: deny\n    when:\n      arguments:\n        b:\n          pattern: "("\n',
      7,
      /pattern/,
    ],
    [
      'a keyword it does not know',
      'rules:\n  - name: a\n    decision: deny\n    when:\n      arguments:\n        b:\n          patern: x\n',
      7,
      /"patern" is not a keyword/,
    ],
    [
      'an invalid folder',
      'rules:\n  - name: a\n    decision: deny\n    when:\n      arguments:\n        b: { under: srv }\n',
      6,
      /absolute path/,
    ],
    [
      'a glob that is no glob of ours',
      'rules:\n  - name: a\n    decision: deny\n    when:\n      tool:\n        - ok\n        - "{a,b}_*"\n',
      7,
      /list of globs/,
    ],
    [
      'a glob that is no glob of ours, of an argument',
      'rules:\n  - name: a\n    decision: deny\n    when:\n      arguments:\n        b:\n          glob: "{a,b}*"\n',
      7,
      /knows \* and \? only/,
    ],
    [
      'a glob where a value is compared',
      'rules:\n  - name: a\n    decision: deny\n    when: { arguments: { b: rel* } }\n',
      4,
      /glob: …/,
    ],
    [
      'a limit on what is denied',
      'rules:\n  - name: a\n    decision: deny\n    limit: { calls: 1, per: day }\n',
      2,
      /neither a limit/,
    ],
    ['a tab', 'rules:\n\t- name: a\n', 2, /./],
    ['an open bracket', 'rules: [\n  { name: a, decision: deny }\n', 3, /./],
    ['a key twice', 'default: deny\nrules: []\ndefault: allow\n', 3, /unique/],
    ['a key twice, inside', 'rules: []\ncases:\n  - call: { tool: a, arguments: {\n      1: x,\n      "1": y } }\n', 5, /unique/],
    ['a tag', 'rules: !!set\n  a\n', 1, /./],
    ['two documents', 'rules: []\n---\nrules: []\n', 2, /documents/],
    ['nothing', '', 1, /object/],
    [
      'a case that fails',
      `${yaml}  - call: { tool: read_file }\n    expect: allow\n`,
      24,
      /expected allow, got deny by the default/,
    ],
  ])('is refused with its line: %s', async (_, text, line, message) => {
    const { problems, message: whole } = await problemsOf(text)
    expect(problems[0]).toMatchObject({ line, message: expect.stringMatching(message) })
    expect(whole).toContain(`policy.yaml:${line}: `)
  })

  it.each([
    ['a trailing comma', '{\n  "rules": [],\n}', 3],
    ['a truncated document', '{\n  "rules": [\n', 2],
    ['a key twice', '{\n  "rules": [],\n  "default": "deny",\n  "default": "allow"\n}', 4],
    ['a key twice, escaped', '{\n  "rules": [],\n  "default": "deny",\n  "d\\u0065fault": "allow"\n}', 4],
    ['an unknown decision', '{\n  "rules": [\n    {\n      "name": "a",\n      "decision": "permit"\n    }\n  ]\n}', 5],
    ['an error in a later rule', '{"rules": [\n{"name": "a", "decision": "deny"},\n{"name": "b", "decision": "no"}]}', 3],
    ['no rules', '{\n  "default": "deny"\n}', 1],
  ])('is refused with its line, as JSON: %s', async (_, text, line) => {
    const { problems } = await problemsOf(text, 'json')
    expect(problems[0]).toMatchObject({ line })
  })

  it('has a maximum size', async () => {
    const lol = Array.from({ length: 12 }, (_, depth) => `l${depth + 1}: &l${depth + 1} [${`*l${depth},`.repeat(9)}]`).join('\n')
    await problemsOf(`l0: &l0 [a]\n${lol}\nrules: []\n`)
    await problemsOf(`rules: &a [*a]\n`)
    await problemsOf(`rules: []\n#${'x'.repeat(1_100_000)}`)
  })

  it('does not block the event loop with many keys in one map', async () => {
    watchLoop()
    const keys = Array.from({ length: 10_500 }, (_, n) => `k${n}: 1\n`)
    const { message } = await problemsOf(`rules: []\n${keys.join('')}`)
    expect(message).toContain('members')
  })

  it('like the one in the guide passes its cases', async () => {
    const guide = await readFile(new URL('../../../../../docs/guides/rules.md', import.meta.url), 'utf8')
    const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? []
    const book = await readRules(text)
    expect(runCases(book)).toEqual({ passed: 2, failed: [] })
  })

  it('may fail its own cases if configured', async () => {
    const failing = `${yaml}  - call: { tool: read_file }\n    expect: allow\n`
    expect((await readRules(failing, { cases: 'ignore' })).set.cases).toHaveLength(3)
  })
})
