// A process with two child servers, to be killed. Usage: node parent.mjs <bundle of child-endpoint.ts>
import { fileURLToPath } from 'node:url'

const { childEndpoint } = await import(process.argv[2])
const child = fileURLToPath(new URL('child.mjs', import.meta.url))

async function pidsOf(behaviour) {
  let tell
  const said = new Promise((resolve) => {
    tell = resolve
  })
  await childEndpoint({ command: process.execPath, args: [child, behaviour] }).dial({
    hear: ({ response }) => tell(Object.values(response.result)),
    lost() {},
    ended() {},
    warn: (text) => console.error(text),
  })
  return said
}

const pids = [await pidsOf('stubborn'), await pidsOf('grandchild')]
process.stdout.write(`${JSON.stringify(pids.flat())}\n`)
if (process.argv[3] === 'exit') process.exit()
