// Samples are generated and concatenated here, so that secret scanners find nothing in this file.
const lower = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const upper = lower.toUpperCase()
const letters = lower + upper + digits
const hex = `${digits}abcdef`
const base32 = `${upper}234567`
const urlSafe = `${letters}_`

let state = 20_260_728
function draw(alphabet: string, length: number): string {
  let text = ''
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)]
  }
  // At least one digit, like nearly all generated values.
  return alphabet.includes('7') ? `${text.slice(0, -1)}7` : text
}

const encoded = (text: string) => btoa(text).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')
const pem = (kind: string, line = '\n') =>
  [
    `-----BEGIN ${kind}PRIVATE KEY-----`,
    draw(letters, 64),
    draw(letters, 64),
    draw(letters, 20),
    `-----END ${kind}PRIVATE KEY-----`,
  ].join(line)
const mixed = () => `${draw(upper, 3)}${draw(lower, 4)}${draw(digits, 4)}!${draw(lower, 3)}`

/** A kind, a text with one secret, the secret, and three similar texts without one. */
export type Sample = { kind: string; text: string; secret: string; misses: readonly [string, string, string] }

function of(
  kind: string,
  secret: string,
  misses: Sample['misses'],
  around: readonly [string, string] = ['The key is ', ' - keep it'],
): Sample {
  return { kind, secret, text: around[0] + secret + around[1], misses }
}

/** A prefix with generated characters. The misses are too short, have a letter before the prefix, or are an example. */
function prefixed(
  kind: string,
  prefix: string,
  [alphabet, length]: readonly [string, number],
  example = `${prefix}${'x'.repeat(length)}`,
): Sample {
  const secret = prefix + draw(alphabet, length)
  return of(kind, secret, [prefix + draw(alphabet, Math.min(length, 20) - 8), `x${secret}`, example])
}

const b64 = `${letters}+/`
const account = `${draw(b64, 86)}==`
const awsSecret = draw(b64, 40)
const database = mixed()
const web = mixed()
const assigned = mixed()
const telegram = `:AA${draw(urlSafe, 33)}`
const jwt = [encoded('{"alg":"HS256","typ":"JWT"}'), encoded(`{"sub":"${draw(digits, 10)}"}`), draw(urlSafe, 43)].join('.')
const bot = [encoded(`1${draw(digits, 17)}`), draw(letters, 6), draw(urlSafe, 38)].join('.')
const webhook = `webhooks/${draw(digits, 18)}/${draw(urlSafe, 68)}`
const gcp = pem('', '\\n')
const ssh = pem('OPENSSH ')

export const samples: readonly Sample[] = [
  prefixed('aws-access-key-id', 'AKIA', [base32, 16], `AKIA${draw(base32, 9)}EXAMPLE`),
  prefixed('aws-access-key-id', 'ASIA', [base32, 16], `ASIA${draw(base32, 15).toLowerCase()}a`),
  of(
    'aws-secret-key',
    awsSecret,
    [
      `commit = "${draw(hex, 40)}"`,
      `aws_secret_access_key = "${draw(hex, 40).slice(0, 9)}"`,
      `secret_access_key is not ${awsSecret}`,
    ],
    ['{"aws_secret_access_key": "', '"}'],
  ),
  prefixed('github-token', 'ghp_', [letters, 36]),
  prefixed('github-token', 'ghs_', [letters, 36]),
  prefixed('github-fine-grained-token', 'github_pat_', [letters, 22], `github_pat_${'x'.repeat(82)}`),
  prefixed('gitlab-token', 'glpat-', [letters, 20]),
  prefixed('slack-token', 'xoxb-', [digits, 12], `xoxb-${'x'.repeat(40)}`),
  prefixed('slack-app-token', 'xapp-1-', [base32, 11], 'xapp-1-A0-1-abc'),
  of(
    'slack-webhook',
    ['hooks.slack.com', 'services', `T${draw(base32, 8)}`, `B${draw(base32, 8)}`, draw(letters, 24)].join('/'),
    [
      'https://hooks.slack.com/services/',
      `https://hooks.slack.com/services/T0/B0/${'X'.repeat(24)}`,
      'https://api.slack.com/messaging/webhooks',
    ],
    ['https://', ''],
  ),
  prefixed('stripe-key', ['sk', 'live', ''].join('_'), [letters, 24], ['sk', 'test', draw(letters, 24)].join('_')),
  prefixed('stripe-key', ['rk', 'live', ''].join('_'), [letters, 24], ['pk', 'live', draw(letters, 24)].join('_')),
  prefixed('google-api-key', 'AIza', [urlSafe, 35]),
  prefixed('google-oauth-secret', 'GOCSPX-', [urlSafe, 28]),
  of(
    'gcp-service-account-key',
    gcp,
    ['"private_key": "none"', '"private_key": "-----BEGIN"', '"private_key_id": "abc"'],
    ['{"type":"service_account","private_key": "', '\\n","client_email":"a@b.example"}'],
  ),
  prefixed('openai-key', 'sk-', [letters, 48]),
  prefixed('openai-key', 'sk-proj-', [urlSafe, 80], 'sk-proj-the-name-of-a-css-class-that-has-no-number-in-it'),
  prefixed('anthropic-key', 'sk-ant-api03-', [urlSafe, 93]),
  prefixed('npm-token', 'npm_', [letters, 36], 'npm_config_registry_that_is_long_and_has_more'),
  prefixed('pypi-token', 'pypi-AgE', [letters, 90]),
  prefixed('docker-token', 'dckr_pat_', [urlSafe, 27]),
  prefixed('sendgrid-key', 'SG.', [letters, 22], 'SG.com/a/b'),
  prefixed('twilio-key', 'SK', [hex, 32], `SK${'0'.repeat(32)}`),
  prefixed('mailgun-key', 'key-', [hex, 32], `key-${'a'.repeat(32)}`),
  of('discord-bot-token', bot, [
    [encoded('{"not":"a number"}'), draw(letters, 6), draw(urlSafe, 38)].join('.'),
    bot.slice(0, 40),
    `x${bot}`,
  ]),
  of(
    'discord-webhook',
    webhook,
    [`https://discord.com/${webhook}`, 'https://discord.com/api/webhooks/1', `https://a.example/api/${webhook}`],
    ['https://discord.com/api/', ' there'],
  ),
  of(
    'telegram-bot-token',
    telegram,
    [`12${telegram}`, `123456789${telegram.slice(0, 20)}`, `words${telegram}`],
    ['bot 123456789', '/getMe'],
  ),
  of(
    'azure-storage-key',
    account,
    ['AccountKey=none;', `AccountKey=${'A'.repeat(86)}==`, `AccountName=${account}`],
    ['DefaultEndpointsProtocol=https;AccountName=a;AccountKey=', ';EndpointSuffix=core.windows.net'],
  ),
  ...['postgres', 'mysql', 'mongodb+srv', 'redis', 'amqps'].map((scheme) =>
    of(
      'database-password',
      database,
      [`${scheme}://ada@db.example/shop`, `${scheme}://user:password@localhost/shop`, `${scheme}://db.example:5432/a@b`],
      [`${scheme}://ada:`, '@db.example/shop'],
    ),
  ),
  of(
    'url-password',
    web,
    ['https://ada@a.example/', 'https://a.example:8080/@ada', 'https://user:pass@a.example/'],
    ['see https://ada:', '@a.example/'],
  ),
  ...['', 'RSA ', 'EC ', 'ENCRYPTED '].map((kind) =>
    of('private-key', pem(kind), [
      `-----BEGIN ${kind}PRIVATE KEY-----`,
      pem(kind).replaceAll('PRIVATE', 'PUBLIC'),
      `-----BEGIN ${kind}PRIVATE KEY----- goes first`,
    ]),
  ),
  of('private-key', ssh, ['-----BEGIN CERTIFICATE-----', ssh.slice(0, 30), ssh.slice(36)]),
  of('jwt', jwt, [
    [encoded('{"no":"algorithm"}'), encoded('{"sub":"1"}'), draw(urlSafe, 43)].join('.'),
    jwt.split('.').slice(0, 2).join('.'),
    `x${jwt}`,
  ]),
  prefixed('huggingface-token', 'hf_', [letters, 34], 'hf_hub_download'),
  prefixed('digitalocean-token', 'dop_v1_', [hex, 64], `dop_v1_${'0'.repeat(64)}`),
  prefixed('shopify-token', 'shpat_', [hex, 32], `shpat_${'0'.repeat(32)}`),
  prefixed('vault-token', 'hvs.', [urlSafe, 90], 'hvs.example'),
  ...['password=', 'db_password: ', '"client_secret": "', 'API_KEY="', 'access_token => '].map((name) =>
    of(
      'assigned-secret',
      assigned,
      [`${name}changeme`, `${name}process.env.PASSWORD_2`, `the ${name.slice(0, 6)} of ${assigned}`],
      [name, '\n'],
    ),
  ),
].map(completed)

/** Adds the parts that some kinds need. */
function completed(sample: Sample): Sample {
  const more: Record<string, string> = {
    'github-fine-grained-token': `_${draw(letters, 59)}`,
    'slack-token': `-${draw(digits, 12)}-${draw(letters, 24)}`,
    'sendgrid-key': `.${draw(urlSafe, 43)}`,
  }
  const { kind, text, secret, misses } = sample
  if (kind === 'slack-app-token') return slackApp(sample)
  const tail = more[kind]
  if (!tail) return sample
  const [short, glued, example] = misses
  return { kind, text: text.replace(secret, secret + tail), secret: secret + tail, misses: [short, glued + tail, example] }
}

function slackApp({ kind, misses: [short, , example] }: Sample): Sample {
  const secret = ['xapp', '1', `A${draw(base32, 10)}`, draw(digits, 13), draw(hex, 64)].join('-')
  return { kind, text: `The key is ${secret} - keep it`, secret, misses: [short, `x${secret}`, example] }
}
