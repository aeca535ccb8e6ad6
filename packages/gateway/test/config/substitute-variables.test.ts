// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { substituteVariables } from '../../src/config/substitute-variables.js'
import type { VariableScope } from '../../src/config/variables.js'
import { folderForEach } from './config-folder.js'

const scope: VariableScope = {
  env: { NAME: 'value', EMPTY: '', ODD: '${NAME} $$ }', TOOLWIRE_INPUT_GITHUB_TOKEN: 'from input' },
  cwd: '/work',
  home: '/home/me',
  workspace: '/project/shop',
  inputs: [{ id: 'github-token' }, { id: 'region', default: 'eu' }],
}

describe('a text with variables', () => {
  it.each([
    ['${NAME}', 'value'],
    ['a${NAME}b${NAME}c', 'avaluebvaluec'],
    ['${env:NAME}', 'value'],
    ['${NONE:-default}', 'default'],
    ['${env:NONE:-default}', 'default'],
    ['${EMPTY:-default}', 'default'],
    ['${EMPTY}', ''],
    ['${NONE:-}', ''],
    ['${NONE:-a:-b}', 'a:-b'],
    ['${NONE:-${NAME}}', 'value'],
    ['${NONE:-${ALSO_NONE:-deep}}!', 'deep!'],
    ['${NONE:-{}}', '{}'],
    ['${ODD}', '${NAME} $$ }'],
    ['${workspaceFolder}/a', '/project/shop/a'],
    ['${workspaceFolderBasename}', 'shop'],
    ['${userHome}', '/home/me'],
    ['${cwd}', '/work'],
    ['${input:github-token}', 'from input'],
    ['${input:region}', 'eu'],
    ['$${NAME}', '${NAME}'],
    ['$$${NAME}', '$${NAME}'],
    ['$NAME', '$NAME'],
    ['100$', '100$'],
    ['{NAME} $ {NAME}', '{NAME} $ {NAME}'],
  ])('%j becomes %j', (text, expected) => {
    expect(substituteVariables(text, scope)).toBe(expected)
  })

  it.each([
    ['${NONE}', /\$\{NONE\} is not set; set it in the environment, or write \$\{NONE:-…\}/],
    ['${env:NONE}', /\$\{env:NONE\} is not set/],
    ['${NONE:-${ALSO_NONE}}', /\$\{ALSO_NONE\} is not set/],
    ['${', /no closing }/],
    ['${NONE:-${NAME}', /no closing }/],
    ['${}', /does not name a variable/],
    ['${command:pick}', /known are/],
    ['${1X}', /does not name a variable/],
    ['${input:other-key}', /set TOOLWIRE_INPUT_OTHER_KEY in the environment/],
    [`${'${A:-'.repeat(20)}x${'}'.repeat(20)}`, /more than 8 deep/],
  ])('%j is refused', (text, message) => {
    expect(() => substituteVariables(text, scope, { at: '/place' })).toThrow(message)
    expect(() => substituteVariables(text, scope, { at: '/place' })).toThrow(/^\/place: /)
  })

  it('keeps unset variables on request', () => {
    expect(substituteVariables('${NONE} ${NAME} ${input:x}', scope, { missing: 'keep' })).toBe('${NONE} value ${input:x}')
  })

  it('never finds members that every object has', () => {
    expect(() => substituteVariables('${constructor}', { ...scope, env: {} })).toThrow(/not set/)
    expect(() => substituteVariables('${toString}', { ...scope, env: {} })).toThrow(/not set/)
  })

  it('is read in linear time', () => {
    const begun = performance.now()
    expect(() => substituteVariables('${'.repeat(200_000), scope)).toThrow(/no closing/)
    expect(substituteVariables('${NAME}'.repeat(100_000), scope)).toHaveLength(500_000)
    expectWithin(performance.now() - begun, 2_000)
  })

  it('survives escaping unchanged, and a value is never expanded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-') }), (text) => {
        expect(substituteVariables('${TEXT}', { ...scope, env: { TEXT: text } })).toBe(text)
        const literal = text.replaceAll('$', '')
        expect(substituteVariables(`$\${${literal}`, scope)).toBe(`\${${literal}`)
      }),
    )
  })
})

describe('in a config', () => {
  const folder = folderForEach()
  it('variables are expanded in command, arguments, env, url, headers, cwd and envFile', async () => {
    await folder.write(
      '.vscode/x.env',
      'export FROM_FILE="a\\nb" # note\nMODE=file\nHASH=a#b\nBARE=a b # c\nMULTI=\'one\ntwo\'\n\n# end\n',
    )
    const { upstreams, files } = await folder.load(
      {
        servers: {
          a: {
            command: '${BIN}',
            args: ['--dir', '${workspaceFolder}'],
            env: { KEY: '${env:KEY}', MODE: 'own', N: 5, NO: null },
            envFile: '${workspaceFolder}/.vscode/${X:-x}.env',
            cwd: 'sub',
          },
          b: { type: 'http', url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${input:token}' } },
        },
        inputs: [{ type: 'promptString', id: 'token', password: true }],
      },
      { name: '.vscode/mcp.json', env: { BIN: 'node', KEY: 'k', HOST: 'a.example', TOOLWIRE_INPUT_TOKEN: 't' } },
    )
    expect(upstreams.map(({ target }) => target)).toEqual([
      {
        kind: 'child',
        command: 'node',
        args: ['--dir', folder.path],
        env: { FROM_FILE: 'a\nb', MODE: 'own', HASH: 'a#b', BARE: 'a b', MULTI: 'one\ntwo', KEY: 'k', N: '5' },
        cwd: folder.at('sub'),
      },
      { kind: 'http', url: 'https://a.example/mcp', headers: { Authorization: 'Bearer t' } },
    ])
    expect(files).toEqual([folder.at('.vscode/mcp.json'), folder.at('.vscode/x.env')])
  })

  it('an unset variable is reported with the line', async () => {
    const config = '{\n "mcpServers": {\n  "a": {\n   "command": "x",\n   "env": { "K": "${NONE}" }\n  }\n }\n}'
    await expect(folder.load(config)).rejects.toMatchObject({
      line: 5,
      message: expect.stringMatching(/mcp\.json:5: \/mcpServers\/a\/env\/K: \$\{NONE\}/),
    })
  })

  it('an invalid env file is reported with its line', async () => {
    const config = { mcpServers: { a: { command: 'x', envFile: 'x.env' } } }
    await expect(folder.load(config)).rejects.toThrow(/\/mcpServers\/a\/envFile: .*x\.env: cannot be read/)
    await folder.write('x.env', 'A=1\nhunter2\n')
    await expect(folder.load(config)).rejects.toThrow(/x\.env:2: this line is neither NAME=value nor a comment/)
    await folder.write('x.env', 'A=1\nB="hunter2\n\n')
    await expect(folder.load(config)).rejects.toThrow(/x\.env:2: .*closing "/)
  })
})
