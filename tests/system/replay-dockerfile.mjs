/**
 * Does what a Dockerfile says, in folders, where no Docker daemon runs: each stage is a folder, and images are taken for what the machine
 * has installed. It shows that what is copied is enough, that commands succeed, and what the image would start.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'

/**
 * @param context the folder that is built; its `.dockerignore` holds
 * @param folder the folder for the stages
 * @returns the folder and the environment of the final stage, and its commands
 */
export function replay(dockerfile, context, folder) {
  const isIgnored = readIgnored(context)
  const stages = new Map()
  let stage
  const inStage = (path) => join(stage.root, resolve(stage.workdir, path))
  const run = {
    FROM(text) {
      const [image, , name = String(stages.size)] = text.split(/\s+/)
      if (!/^node:\d+-slim$/.test(image)) throw new Error(`the image ${image} is not known here`)
      stage = { root: mkdtempSync(join(folder, 'stage-')), workdir: '/', env: {}, image }
      stages.set(name, stage)
      // The user of the image reads it.
      chmodSync(stage.root, 0o755)
    },
    WORKDIR(path) {
      stage.workdir = resolve(stage.workdir, path)
      mkdirSync(inStage('.'), { recursive: true })
    },
    ENV(text) {
      for (const [, name, value] of text.matchAll(/(\w+)=(\S*)/g)) stage.env[name] = value
    },
    COPY(text) {
      const [, from, rest] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(text)
      const sources = rest.split(/\s+/)
      const target = sources.pop()
      for (const source of sources) {
        const path = from === undefined ? join(context, source) : join(stages.get(from).root, source)
        const isInto = !statSync(path).isDirectory() && /(?:^|\/)\.?$/.test(target)
        const filter = (file) => from !== undefined || !isIgnored(relative(context, file))
        if (!filter(path)) throw new Error(`COPY ${source}: .dockerignore leaves it out`)
        cpSync(path, isInto ? inStage(join(target, basename(source))) : inStage(target), {
          recursive: true,
          filter,
          verbatimSymlinks: true,
        })
      }
    },
    RUN(command) {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
        cwd: inStage('.'),
        env: { ...kept(process.env), ...stage.env },
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`RUN ${command} failed:\n${stdout}${stderr}`)
    },
    USER: (user) => void (stage.user = user),
    EXPOSE: (port) => void (stage.port = Number(port)),
    STOPSIGNAL: (signal) => void (stage.stopSignal = signal),
    HEALTHCHECK(text) {
      stage.healthCheck = JSON.parse(/ CMD (\[.*\])$/.exec(text)[1])
    },
    CMD: (text) => void (stage.command = JSON.parse(text)),
  }
  for (const [, instruction, text] of instructionsOf(dockerfile)) {
    if (!Object.hasOwn(run, instruction)) throw new Error(`${instruction} is not known here`)
    run[instruction](text)
  }
  return { ...stage, directory: inStage('.'), env: { PATH: process.env['PATH'], ...stage.env } }
}

/** The files below a folder that reach no instruction. */
function readIgnored(context) {
  const file = join(context, '.dockerignore')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const patterns = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  const expressions = patterns.map((pattern) => {
    if (pattern.startsWith('!') || /[?[\]]/.test(pattern)) throw new Error(`the pattern ${pattern} is not known here`)
    const text = pattern
      .replaceAll(/[.+^${}()|\\]/g, String.raw`\$&`)
      .replaceAll(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
    return new RegExp(`^${text}(?:/|$)`)
  })
  return (path) => expressions.some((expression) => expression.test(path))
}

function instructionsOf(dockerfile) {
  const text = readFileSync(dockerfile, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
  return text.matchAll(/^([A-Z]+)\s+(.*)$/gm)
}

/** A command of the build finds its programs and packages as it does here. The variables of this machine do not reach it otherwise. */
function kept(env) {
  const names = /^(?:PATH|HOME|TMPDIR|NODE_EXTRA_CA_CERTS|.*_proxy|npm_config_.*)$/i
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)))
}
