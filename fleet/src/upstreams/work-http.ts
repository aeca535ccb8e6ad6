// One server for all replicas: node work-http.js FILE. It prints its port.
import { listen } from 'toolwire/node'
import { workServer } from './work-server.js'

const { port } = await listen(workServer('web', process.argv[2] ?? ''), { port: 0, host: '127.0.0.1' })
process.stdout.write(`${port}\n`)
