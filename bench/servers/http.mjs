/** What a careful hand writes on bare `node:http`: what each workload needs, and no more. */
import { createServer } from 'node:http'
import { authenticate, createUser, findOrder, listPeople, Plans, routeCount, routePath, Trace } from '../data.mjs'

const BODY_LIMIT = 1_048_576

function send(response, status, value) {
  const text = JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function refuse(response, statusCode) {
  send(response, statusCode, { statusCode })
}

function readJson(request, response, use) {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    text += chunk
    if (text.length > BODY_LIMIT) request.destroy()
  })
  request.on('end', () => {
    let value
    try {
      value = JSON.parse(text)
    } catch {
      return refuse(response, 400)
    }
    use(value)
  })
}

const wholeNumber = /^-?[0-9]+$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const dateTime = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}/

const workloads = {
  floor: () => (_request, response) => response.end(),

  hello: () => (request, response) => {
    if (request.url === '/') send(response, 200, { hello: 'world' })
    else refuse(response, 404)
  },

  query: () => (request, response) => {
    const [path, search = ''] = request.url.split('?')
    const id = path.slice('/orders/'.length)
    const query = new URLSearchParams(search)
    const page = Number(query.get('page') ?? 0)
    const sort = query.get('sort') ?? undefined
    if (!wholeNumber.test(id) || !(page >= 1) || (sort !== undefined && !['name', 'price', 'date'].includes(sort))) {
      return refuse(response, 400)
    }
    const active = query.get('active')
    const minPrice = query.get('minPrice')
    const limit = query.get('limit')
    send(
      response,
      200,
      findOrder(Number(id), {
        page,
        limit: limit === null ? undefined : Number(limit),
        active: active === null ? undefined : active === 'true',
        sort,
        minPrice: minPrice === null ? undefined : Number(minPrice),
      }),
    )
  },

  body: () => (request, response) => {
    readJson(request, response, (body) => {
      const isValid =
        uuid.test(body.id) &&
        /^[^@\s]+@[^@\s]+$/.test(body.email) &&
        dateTime.test(body.registeredAt) &&
        /^[0-9]{4,6}$/.test(body.address?.zip) &&
        typeof body.bio === 'string'
      if (isValid) send(response, 201, createUser(body))
      else refuse(response, 400)
    })
  },

  list: () => (_request, response) => send(response, 200, listPeople()),

  contexts() {
    const plans = new Plans()
    const hooks = [
      async (request) => {
        request.tenant = request.headers['x-tenant']
      },
      async (request) => {
        request.locale = request.headers['accept-language']
      },
      async (request) => {
        request.user = authenticate(request.headers.authorization)
      },
    ]
    return async (request, response) => {
      for (const hook of hooks) await hook(request)
      const { tenant, locale, user } = request
      if (user === undefined) refuse(response, 401)
      else send(response, 200, { tenant, locale, user, plan: plans.planOf(user) })
    }
  },

  scope: () => (request, response) => {
    const trace = new Trace(request.url, request.headers['x-caller'])
    response.on('close', () => trace.end())
    send(response, 200, { url: trace.url, caller: trace.caller })
  },

  routes() {
    const routes = new Map(Array.from({ length: routeCount }, (_, route) => [routePath(route), (id) => ({ route, id })]))
    return (request, response) => {
      const end = request.url.lastIndexOf('/')
      const route = routes.get(request.url.slice(0, end))
      const id = request.url.slice(end + 1)
      if (route === undefined || !wholeNumber.test(id)) refuse(response, 400)
      else send(response, 200, route(Number(id)))
    }
  },
}

function listen(handle) {
  return new Promise((resolve) => {
    const server = createServer(handle).listen(0, '127.0.0.1', () => resolve(server))
  })
}

export function serve(workload) {
  return listen(workloads[workload]())
}

export function boot(count) {
  const routes = new Map(Array.from({ length: count }, (_, index) => [`/boot${index}`, (body) => body]))
  return listen((request, response) => {
    const route = routes.get(request.url.slice(0, request.url.lastIndexOf('/')))
    readJson(request, response, (body) => send(response, 200, route(body)))
  })
}
