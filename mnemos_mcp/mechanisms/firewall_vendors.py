"""Vendor key forms that are a prefix and a body: a table, read by firewall_rules when the first text that could hold a key comes by."""

# kind, name, prefixes, body, least length of the body
PREFIXED = """
api_token    openai          sk-proj- sk-svcacct- sk-admin- sk-None-              W 20
api_token    anthropic       sk-ant-                                              W 16
api_token    openrouter      sk-or-                                               W 20
api_token    langfuse        sk-lf-                                               W 20
api_token    groq            gsk_                                                 A 20
api_token    xai             xai-                                                 W 30
api_token    perplexity      pplx-                                                A 20
api_token    replicate       r8_                                                  A 30
api_token    fireworks       fw_                                                  A 20
api_token    together        tgp_v1_                                              W 30
api_token    pinecone        pcsk_                                                W 30
api_token    langsmith       lsv2_pt_ lsv2_sk_                                    W 30
api_token    wandb           wandb_v1_                                            W 30
api_token    nvidia          nvapi-                                               W 30
api_token    cerebras        csk-                                                 A 30
api_token    tavily          tvly-                                                W 20
api_token    firecrawl       fc-                                                  H 32
api_token    jina            jina_                                                W 40
api_token    e2b             e2b_                                                 H 32
api_token    apify           apify_api_                                           A 20
api_token    runpod          rpa_                                                 A 32
api_token    mem0            m0-                                                  A 32
api_token    context7        ctx7sk-                                              W 16
api_token    cursor          key_                                                 H 60
api_token    elevenlabs      sk_                                                  H 40
access_token huggingface     hf_ api_org_                                         A 24
access_token github          ghp_ gho_ ghu_ ghs_ ghr_                             D 30
access_token github-pat      github_pat_                                          W 22
access_token gitlab          glpat- gldt- glptt- glrt- glrtr- glcbt- glft- glsoat- glimt- glagent- gloas- glffct- glwt- D 16
access_token gitlab-runner   GR1348941                                            W 16
access_token slack           xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xoxc- xoxd- xapp- xwfp- U 10
access_token npm             npm_                                                 A 30
access_token pypi            pypi-                                                W 40
access_token docker          dckr_pat_ dckr_oat_                                  W 16
access_token vault           hvs. hvb. hvr.                                       W 20
access_token tailscale       tskey-                                               W 16
access_token openshift       sha256~                                              W 40
access_token google-oauth    ya29.                                                D 20
access_token square          sq0atp- sq0csp-                                      W 20
access_token square-token    EAAA                                                 W 50
access_token trello          ATTA                                                 H 60
access_token yandex-oauth    y0_                                                  W 50
access_token vk              vk1.a.                                               W 60
access_token amazon          Atza| Atzr| amzn1.oa2-cs.v1. amzn.mws.               D 36
access_token ebay            v^1.1#i^1#                                           B 30
access_token paypal          A21AA                                                W 60
api_token    mollie          live_                                                A 30
api_token    telnyx          KEY0                                                 W 40
api_token    pubnub          sec-c-                                               W 36
api_token    datadog         ddapp_ ddapi_                                        A 30
api_token    openai-session  sess-                                                A 40
api_token    anyscale        esecret_                                             A 20
api_token    helicone        sk-helicone-                                         W 20
access_token facebook        EAA                                                  A 90
access_token instagram       IGQV IGAA                                            W 60
access_token microsoft       EwA EwB EwC                                          B 200
access_token discord-mfa     mfa.                                                 W 60
access_token tiktok          act.                                                 D 50
access_token spotify         BQ                                                   W 100
access_token google-code     4/0A                                                 W 40
access_token linkedin        AQU AQV AQW AQX                                      W 120
access_token plaid           access-sandbox- access-development- access-production- W 20
access_token linear          lin_api_ lin_oauth_ lin_wh_                          A 20
access_token hubspot         pat-na1- pat-na2- pat-eu1-                           W 30
access_token databricks      dapi dkea dsapi                                      H 30
access_token prefect         pnu_ pnb_                                            A 30
access_token pulumi          pul-                                                 H 32
access_token circleci        CCIPAT_ CCIPRJ_                                      W 30
access_token buildkite       bkua_ bkaj_                                          W 30
access_token sonar           sqp_ sqa_ squ_                                       H 32
access_token sourcegraph     sgp_ slk_                                            W 40
access_token jfrog           AKCp cmVmd                                           A 50
api_token    rubygems        rubygems_                                            H 32
api_token    crates          cio                                                  A 32
api_token    nuget           oy2                                                  A 43
api_token    clojars         CLOJARS_                                             A 40
cloud_key    google-api      AIza                                                 W 30
cloud_key    google-gemini   AQ.Ab                                                W 30
cloud_key    google-client   GOCSPX-                                              W 20
cloud_key    aws-bedrock     ABSK                                                 B 60
cloud_key    aws-bedrock-short bedrock-api-key-                                   B 30
cloud_key    digitalocean    dop_v1_ doo_v1_ dor_v1_                              H 32
cloud_key    cloudflare      cfk_ cfut_ cfat_                                     A 30
cloud_key    cloudflare-ca   v1.0-                                                W 100
cloud_key    alibaba         LTAI                                                 A 16
cloud_key    tencent         AKID                                                 A 28
cloud_key    heroku          HRKU-                                                W 30
cloud_key    vercel          vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_             W 20
cloud_key    netlify         nfp_ nfc_ nfo_ nfu_ nfb_                             A 20
cloud_key    fly             fo1_ fm1r_ fm1a_ fm2_                                B 30
cloud_key    render          rnd_                                                 A 20
cloud_key    supabase        sbp_ sb_secret_                                      W 20
cloud_key    neon            napi_                                                A 40
cloud_key    planetscale     pscale_tkn_ pscale_oauth_ pscale_pw_                 D 24
cloud_key    scalingo        tk-us-                                               W 40
cloud_key    confluent       cflt                                                 B 56
api_token    stripe          sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ W 10
api_token    stripe-webhook  whsec_                                               B 20
api_token    sendgrid        SG.                                                  D 40
api_token    brevo           xkeysib- xsmtpsib-                                   W 40
api_token    mailersend      mlsn.                                                A 30
api_token    twilio          SK                                                   H 32
api_token    sentry          sntrys_ sntryu_                                      B 30
api_token    newrelic        NRAK- NRJS- NRII- NRRA- NRSP-                        W 16
api_token    grafana         glsa_ glc_ eyJrIjoi                                  B 30
api_token    dynatrace       dt0c01. dt0s16. dt0s02.                              D 30
api_token    honeycomb       hcaik_ hcalk_ hcxik_ hcbik_                          A 30
api_token    shopify         shpat_ shpca_ shppa_ shpss_ shptka_ shpua_           A 20
api_token    atlassian       ATATT3 ATCTT3 ATBB                                   D 20
api_token    notion          ntn_                                                 A 30
api_token    notion-old      secret_                                              A 40
api_token    postman         PMAK- PMAT-                                          W 20
api_token    figma           figd_ figo_ figu_                                    W 30
api_token    dropbox         sl.                                                  W 60
api_token    snyk            snyk_uat. snyk_sat.                                  D 30
api_token    doppler         dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.       D 24
api_token    1password       ops_eyJ                                              B 40
api_token    mapbox          sk.eyJ                                               D 30
api_token    shippo          shippo_live_ shippo_test_                            A 20
api_token    easypost        EZAK EZTK                                            A 50
api_token    duffel          duffel_live_ duffel_test_                            W 30
api_token    flutterwave     FLWSECK_TEST- FLWSECK-                               W 12
api_token    typeform        tfp_                                                 W 30
api_token    contentful      CFPAT-                                               W 30
api_token    readme          rdme_                                                A 50
api_token    frameio         fio-u-                                               W 50
api_token    infracost       ico-                                                 A 32
api_token    adobe           p8e-                                                 A 32
api_token    intercom        dG9rO                                                B 40
api_token    posthog         phx_ phs_                                            W 30
api_token    browserbase     bb_live_ bb_test_                                    W 16
api_token    stytch          secret-live- secret-test-                            W 30
api_token    twitter         AAAAAAAAAAAAAAAAAAAA                                 U 40
api_token    voyage          pa-                                                  W 40
api_token    axiom           xaat- xapt-                                          W 30
api_token    polar           polar_oat_ polar_pat_ polar_at_                      W 20
api_token    brave           BSA                                                  W 26
api_token    aikido          AIK_SECRET_ AIK_CI_                                  A 20
api_token    cloudsmith      csa_                                                 A 36
api_token    deno            ddp_                                                 A 36
api_token    devcycle        dvc_server_                                          A 16
api_token    devin           cog_ apk_user_ apk_                                  B 50
api_token    configcat       configcat-sdk-1/                                     B 40
api_token    onesignal       os_v2_app_ os_v2_org_                                A 60
api_token    onfido          api_live. api_live_us. api_live_ca.                  W 20
api_token    asaas           $aact_prod_ $aact_hmlg_                              W 20
api_token    ramp            ramp_sec_                                            A 40
api_token    rootly          rootly_                                              H 60
api_token    samsara         samsara_api_                                         A 26
api_token    settlemint      sm_aat_ sm_pat_ sm_sat_                              A 16
api_token    unkey           unkey_                                               A 20
api_token    valtown         vtwn_                                                W 20
api_token    wakatime        waka_                                                W 36
api_token    zuplo           zpka_                                                W 36
api_token    mergify         mergify_application_key_                             W 40
api_token    dnkey           dnkey-                                               W 40
api_token    canva           cnvca                                                W 50
api_token    midtrans        Mid-server-                                          W 20
api_token    lichess         lip_                                                 A 20
api_token    persona         persona_production_                                  W 20
api_token    gcnotify        gcntfy-                                              W 40
api_token    elastic         essu_                                                B 60
api_token    uploadthing     ut_secret_                                           A 20
api_token    adyen           AQE                                                  B 80
api_token    mercury         mercury_production_                                  W 30
api_token    proof           prf_                                                 W 30
api_token    endorlabs       endr+                                                W 16
api_token    porkbun         sk1_                                                 H 40
access_token aiven           AVNS_                                                W 16
access_token ionic           ion_                                                 A 40
access_token thunderstore    tss_                                                 W 24
access_token intra42         s-s4t2ud- s-s4t2af-                                  H 60
access_token upcloud         ucat_                                                A 24
access_token pinterest       pina_                                                W 20
access_token gitlab-session  _gitlab_session=                                     A 30
access_token astra           AstraCS:                                             A 20
access_token docker-swarm    SWMTKN-1- SWMKEY-1-                                  B 40
access_token workato         wrka-eyJ wrkaus-eyJ wrkaeu-eyJ wrkajp-eyJ wrkasg-eyJ wrkaau-eyJ D 60
access_token temporal        tmprl_                                               W 30
cloud_key    yandex          AQVN t1.9euel                                        W 30
cloud_key    mongodb-atlas   mdb_sa_sk_                                           W 30
cloud_key    cockroach       CCDB1_                                               W 50
cloud_key    exoscale        EXO                                                  A 24
cloud_key    clickhouse      4b1d                                                 A 38
cloud_key    alibaba-sts     STS.                                                 A 16
cloud_key    aws-session     IQoJb3JpZ2lu                                         B 60
private_key  age             AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1                 A 40
"""
