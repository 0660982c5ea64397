import json
from collections import Counter
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.test_long_list import kept
def snap(session):
    chunks=[]
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda e: chunks.append(e["chunk"]))
    session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    d=json.loads("".join(chunks)); f=d["snapshot"]["meta"]["node_fields"]; t=d["snapshot"]["meta"]["node_types"][0]; n=d["nodes"]; w=len(f); s=d["strings"]
    c=Counter(); z=Counter()
    for i in range(0,len(n),w):
        k=(t[n[i]], s[n[i+1]][:50]); c[k]+=1; z[t[n[i]]]+=n[i+3]
    return c,z
def test_mem(opened, pages):
    company = Company(rows=50, messages=300)
    network = company.network(pages)
    page = opened(network, "all/whatsapp/k0")
    log = page.get_by_role("log", name="Messages")
    log.get_by_text("line 299.", exact=True).wait_for()
    session = page.context.new_cdp_session(page)
    def update() -> None:
        company.versions["k0"] = company.versions.get("k0", 1) + 1
        with page.expect_response(lambda one: "/whatsapp/conversations/k0?" in one.url):
            network.hint("whatsapp", "k0", company.versions["k0"])
    for _ in range(50): update()
    a,za=snap(page.context.new_cdp_session(page)); 
    for _ in range(150): update()
    b,zb=snap(page.context.new_cdp_session(page))
    print({k: zb[k]-za[k] for k in zb})
    for k,v in sorted(((k,b[k]-a[k]) for k in b), key=lambda x:-x[1])[:30]: print(v,k)
