// What hosts send: files of a published library, and a file of games that a link names.
import { describe, expect, it, vi } from 'vitest';
import { agreedHost, directHost, type Wanted } from '../src/published/host';
import type { HostReply, HostRequest } from '../src/published/hostworker';
import { fetchFile, sizeOfFile } from '../src/published/linkedfile';
import { OtherHost, type HostPort } from '../src/published/otherhost';
import { ADDRESS, final, onPageOfClub } from './published';

onPageOfClub();

describe('a host', () => {
  const wanted = (changed: Partial<Wanted> = {}): Wanted => ({ url: 'https://club.example/library/a.text', bytes: 10, range: { from: 2, length: 3 }, cache: 'default', ...changed });
  const answers = (response: Response) => vi.stubGlobal('fetch', vi.fn(async () => response));
  const fetched = (changed?: Partial<Wanted>) => directHost.fetch(wanted(changed), new AbortController().signal);
  const bytes = (length: number) => Uint8Array.from({ length }, (_, nth) => nth);

  it('is asked for a range, without anything about the user', async () => {
    answers(new Response(bytes(3), { status: 206 }));
    const { bytes: got, isWhole } = await fetched();
    expect([[...got], isWhole]).toEqual([[0, 1, 2], false]);
    expect(fetch).toHaveBeenCalledWith('https://club.example/library/a.text', expect.objectContaining({ headers: { Range: 'bytes=2-4' }, credentials: 'omit', referrerPolicy: 'no-referrer' }));
  });

  it('may send the whole file instead, of which a large one is not kept', async () => {
    answers(new Response(bytes(10)));
    expect((await fetched()).isWhole).toBe(true);
    answers(new Response(bytes(10)));
    const cut = await fetched({ bytes: 20 << 20 });
    expect([[...cut.bytes], cut.isWhole]).toEqual([[2, 3, 4], false]);
  });

  it('may not send more than was said', async () => {
    answers(new Response(bytes(11)));
    await expect(fetched({ range: null })).rejects.toMatchObject({ code: 'host', isPassing: false, message: expect.stringContaining('sends more of a.text') });
    answers(new Response(bytes(4), { status: 206 }));
    await expect(fetched()).rejects.toMatchObject({ message: expect.stringContaining('sends more') });
  });

  it('may have lost the file, refuse it or not be there', async () => {
    answers(new Response('', { status: 404 }));
    await expect(fetched()).rejects.toMatchObject({ isPassing: false, message: expect.stringContaining('does not have a.text') });
    answers(new Response('', { status: 503 }));
    await expect(fetched()).rejects.toMatchObject({ isPassing: true, message: expect.stringContaining('status 503') });
    vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(new TypeError('failed'))));
    await expect(fetched()).rejects.toMatchObject({ isPassing: true, message: expect.stringMatching(/^the host of this page cannot be reached/) });
    await expect(fetched({ url: 'https://other.example/a.text' })).rejects.toMatchObject({ message: expect.stringMatching(/^other\.example .*\(CORS\)/) });
  });

  it('to which the user agreed sends nobody on to another', async () => {
    vi.stubGlobal('fetch', vi.fn(async (_: string, { redirect }: RequestInit) => ({ type: redirect === 'manual' ? 'opaqueredirect' : 'basic', ok: true, status: 206, headers: new Headers(), body: new Response(bytes(3)).body })));
    const agreed = agreedHost.fetch(wanted({ url: 'https://other.example/a.text' }), new AbortController().signal);
    await expect(agreed).rejects.toMatchObject({ code: 'host', isPassing: false, message: expect.stringMatching(/^other\.example sends this page on/) });
    expect((await fetched()).bytes.length).toBe(3);
  });

  it('that brings nothing for long is given up', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', vi.fn((_: string, { signal }: RequestInit) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))))));
    const failed = expect(fetched()).rejects.toMatchObject({ code: 'host', isPassing: true });
    await vi.advanceTimersByTimeAsync(30_000);
    await failed;
  });

  it('of another site is asked by a worker of its own', async () => {
    const said: HostRequest[] = [];
    const port: HostPort = { postMessage: (message) => void said.push(message), onmessage: null, onerror: null };
    const host = new OtherHost(port);
    const reply = (data: HostReply) => port.onmessage?.({ data });
    const one = host.fetch(wanted(), new AbortController().signal);
    const failing = host.fetch(wanted(), new AbortController().signal);
    const abort = new AbortController();
    const aborted = host.fetch(wanted(), abort.signal);
    abort.abort(new Error('over'));
    await expect(aborted).rejects.toThrow('over');
    reply({ number: 2, failure: final });
    await expect(failing).rejects.toBe(final);
    reply({ number: 1, received: { bytes: bytes(1), isWhole: false } });
    expect((await one).bytes.length).toBe(1);
    expect(said.map((request) => [request.number, 'wanted' in request])).toEqual([[1, true], [2, true], [3, true], [3, false]]);
    const told: number[] = [];
    const file = host.file({ url: ADDRESS, bytes: 10 }, new AbortController().signal, (bytes) => void told.push(bytes));
    const size = host.size(ADDRESS, new AbortController().signal);
    reply({ number: 4, bytes: 3 });
    reply({ number: 4, blob: new Blob(['1. e4']) });
    reply({ number: 5, size: 5 });
    expect([await (await file).text(), await size, told]).toEqual(['1. e4', 5, [3]]);
    const broken = host.fetch(wanted(), new AbortController().signal);
    port.onerror?.({ message: 'blocked' });
    await expect(broken).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('blocked') });
  });
});

describe('a file that a link names', () => {
  const answers = (response: () => Response) => vi.stubGlobal('fetch', vi.fn(async () => response()));
  const listener = { progress: () => undefined, isCancelled: () => false };
  const file = 'https://other.example/my%20games.pgn';

  it('has a size, if its host says so', async () => {
    answers(() => new Response('', { headers: { 'Content-Length': '123' } }));
    expect(await sizeOfFile(directHost, file)).toBe(123);
    for (const response of [() => new Response(null, { status: 405 }), () => new Response(''), () => new Response('', { headers: { 'Content-Length': '123', 'Content-Encoding': 'gzip' } })]) {
      answers(response);
      expect(await sizeOfFile(directHost, file)).toBeNull();
    }
    answers(() => new Response('', { status: 404 }));
    await expect(sizeOfFile(directHost, file)).rejects.toMatchObject({ code: 'host', message: 'other.example does not have my%20games.pgn' });
  });

  it('comes whole, with its name, and tells how far it is', async () => {
    answers(() => new Response('1. e4'));
    const told: number[] = [];
    const got = await fetchFile(directHost, file, { ...listener, progress: (bytes) => void told.push(bytes) });
    expect([got.name, await got.text(), told]).toEqual(['my games.pgn', '1. e4', [5]]);
    expect((await fetchFile(directHost, 'https://other.example/', listener)).name).toBe('games.pgn');
  });

  it('ends when the user cancels it, when it is too large, and when the host fails', async () => {
    answers(() => new Response('1. e4'));
    await expect(fetchFile(directHost, file, { ...listener, isCancelled: () => true })).rejects.toMatchObject({ code: 'cancelled' });
    await expect(directHost.file({ url: file, bytes: 4 }, new AbortController().signal, () => undefined)).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('too much for a page') });
    answers(() => new Response('', { status: 403 }));
    await expect(fetchFile(directHost, file, listener)).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('status 403') });
    vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(new TypeError('offline'))));
    await expect(fetchFile(directHost, file, listener)).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('(CORS)') });
  });
});
