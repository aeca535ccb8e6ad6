// The sample server over stdio: <revision> <place>
import { serveStdio } from 'toolwire/stdio'
import { sampleServer } from './sample-server.js'

const [revision = '', place = ''] = process.argv.slice(2)
await serveStdio(sampleServer(revision, place))
