// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_certs/certificate_authority.hpp"

#include "catch.hpp"
#include "forgery.hpp"

#include <openssl/x509v3.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace certificates_test {

using namespace security_test;
using namespace std::chrono_literals;

using Catch::Matchers::ContainsSubstring;
using detail::existing_files;
using detail::tls_files;
using rosia_certs::certificate_authority;

namespace {

constexpr auto day = 24h;

/// Returns the reason for refusing the files, or an empty text.
std::string refusal(const tls_files& files) {
  try {
    detail::check(files);
    return "";
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
}

std::string content(const std::string& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void overwrite(const std::string& file, const std::string& text) {
  std::ofstream{file} << text;
}

unsigned mode(const std::filesystem::path& file) {
  struct stat status;
  REQUIRE(lstat(file.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::string end_of(const std::string& certificate) {
  return detail::utc_text(
    detail::describe_certificates(certificate).front().not_after);
}

std::string begin_of(const std::string& certificate) {
  return detail::utc_text(
    detail::describe_certificates(certificate).front().not_before);
}

std::size_t count_files(const std::filesystem::path& folder) {
  auto i = std::filesystem::directory_iterator{folder};
  return static_cast<std::size_t>(std::distance(begin(i), end(i)));
}

} // namespace

// -- checking: files ----------------------------------------------------------

TEST_CASE("files that were issued together are valid") {
  fixture x;
  CHECK(refusal(x.files()) == "");
}

TEST_CASE("each of the three files must be given") {
  fixture x;
  auto rest
    = ": no file is given; rosia.tls.certificate, rosia.tls.key and "
      "rosia.tls.ca belong together, and rosia-certs makes the files; on the "
      "loopback device, rosia.network.insecure=true needs none";
  auto files = x.files();
  SECTION("certificate") {
    files.certificate.clear();
    CHECK(refusal(files) == std::string{"rosia.tls.certificate"} + rest);
  }
  SECTION("key") {
    files.key.clear();
    CHECK(refusal(files) == std::string{"rosia.tls.key"} + rest);
  }
  SECTION("CA") {
    files.ca.clear();
    CHECK(refusal(files) == std::string{"rosia.tls.ca"} + rest);
  }
}

TEST_CASE("an unusable file is refused by its option and its name") {
  fixture x;
  auto files = x.files();
  auto option = GENERATE(
    as<std::string>{}, "rosia.tls.certificate", "rosia.tls.key",
    "rosia.tls.ca");
  // Not generated, because each fixture has a different folder.
  auto file
    = option == "rosia.tls.certificate" ? files.certificate
      : option == "rosia.tls.key"
        ? files.key
        : files.ca;
  auto begin = option + ": " + file + ": ";
  std::filesystem::remove(file);
  SECTION("missing") {
    CHECK(refusal(files)
          == begin
               + "cannot be read: No such file or directory; check its name "
                 "and its permissions");
  }
  SECTION("folder") {
    std::filesystem::create_directory(file);
    CHECK(
      refusal(files)
      == begin + "cannot be read: it is a folder; name a file in PEM format");
  }
  SECTION("pipe without a writer") {
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    CHECK(refusal(files)
          == begin
               + "cannot be read: it is not a regular file; name a file in "
                 "PEM format");
  }
  SECTION("empty") {
    overwrite(file, "");
    CHECK(refusal(files)
          == begin + "is empty; copy it again, or make it with rosia-certs");
  }
  SECTION("garbage") {
    overwrite(file, "no certificate\n");
    REQUIRE(chmod(file.c_str(), 0600) == 0);
    auto kind = option == "rosia.tls.key" ? "private key" : "certificate";
    CHECK(refusal(files)
          == begin + "contains no " + kind
               + " in PEM format; name the right file, or copy it again");
  }
  SECTION("unreadable") {
    if (geteuid() == 0)
      return; // root can read everything
    overwrite(file, "x");
    REQUIRE(chmod(file.c_str(), 0) == 0);
    CHECK(refusal(files)
          == begin
               + "cannot be read: Permission denied; check its name and its "
                 "permissions");
  }
}

TEST_CASE("a damaged certificate is refused") {
  fixture x;
  auto file = x.files().certificate;
  auto text = content(file);
  overwrite(file, text + text.substr(0, 100) + "!"
                    + text.substr(101, std::string::npos));
  CHECK(refusal(x.files())
        == "rosia.tls.certificate: " + file
             + ": certificate 2 is damaged (OpenSSL: bad base64 decode); "
               "copy the file again");
}

TEST_CASE("a damaged key is refused") {
  fixture x;
  auto file = x.files().key;
  auto text = content(file);
  text[60] = '!';
  overwrite(file, text);
  CHECK_THAT(refusal(x.files()),
             ContainsSubstring(
               "rosia.tls.key: " + file + ": the key is damaged (OpenSSL: "));
}

TEST_CASE("a certificate in DER format is refused") {
  fixture x;
  auto file = x.files().certificate;
  convert_to_der(file);
  CHECK(refusal(x.files())
        == "rosia.tls.certificate: " + file
             + ": contains no certificate in PEM format; the file seems to be "
               "in DER format, which openssl can convert");
}

TEST_CASE("an encrypted key is refused, and no password is asked for") {
  fixture x;
  encrypt(x.files().key);
  CHECK(refusal(x.files())
        == "rosia.tls.key: " + x.files().key
             + ": the key is encrypted, and there is no option for its "
               "password; name a file with the decrypted key, which openssl "
               "pkey writes");
}

TEST_CASE("a key that other users can read is refused") {
  fixture x;
  auto key = x.files().key;
  auto [bits, text] = GENERATE(table<unsigned, std::string>(
    {{0640, "0640"}, {0604, "0604"}, {0620, "0620"}, {0644, "0644"}}));
  REQUIRE(chmod(key.c_str(), bits) == 0);
  CHECK(refusal(x.files())
        == "rosia.tls.key: " + key + ": the mode " + text
             + " lets users other than its owner use the key; run: chmod 600 "
             + key);
}

TEST_CASE("a key that its owner can only read is valid") {
  fixture x;
  REQUIRE(chmod(x.files().key.c_str(), 0400) == 0);
  CHECK(refusal(x.files()) == "");
}

TEST_CASE("certificate and key can be in one file") {
  fixture x;
  auto both = x.folder().write(
    "both.pem", content(x.files().key) + content(x.files().certificate));
  REQUIRE(chmod(both.c_str(), 0600) == 0);
  CHECK(refusal({both, both, x.files().ca}) == "");
}

// -- checking: certificates ---------------------------------------------------

TEST_CASE("the key of a different certificate is refused") {
  fixture x;
  fixture y;
  auto files = x.files();
  files.key = y.files().key;
  CHECK(
    refusal(files)
    == "rosia.tls.key: " + files.key
         + ": is not the key of the certificate CN=alpha in "
         + files.certificate + "; name the two files that were made together");
}

TEST_CASE("an expired certificate is refused") {
  fixture x;
  x.forge(dates(-2 * day, -1s));
  auto file = x.files().certificate;
  CHECK(refusal(x.files())
        == "rosia.tls.certificate: " + file
             + ": the certificate CN=alpha expired at " + end_of(file)
             + "; make a new one with rosia-certs");
}

TEST_CASE("a certificate of the future is refused") {
  fixture x;
  x.forge(dates(1h, 2h));
  auto file = x.files().certificate;
  CHECK(
    refusal(x.files())
    == "rosia.tls.certificate: " + file
         + ": the certificate CN=alpha is not valid before " + begin_of(file)
         + "; set this machine's clock, or wait until then");
}

TEST_CASE("an expired CA is refused") {
  fixture x;
  x.forge_ca(dates(-2 * day, -1s));
  auto file = x.files().ca;
  CHECK(refusal(x.files())
        == "rosia.tls.ca: " + file + ": the certificate CN=Test CA expired at "
             + end_of(file) + "; make a new one with rosia-certs");
}

TEST_CASE("a CA of the future is refused") {
  fixture x;
  x.forge_ca(dates(1h, 2h));
  auto file = x.files().ca;
  CHECK(
    refusal(x.files())
    == "rosia.tls.ca: " + file
         + ": the certificate CN=Test CA is not valid before " + begin_of(file)
         + "; set this machine's clock, or wait until then");
}

TEST_CASE("a certificate of another CA is refused") {
  fixture x;
  auto name = GENERATE(as<std::string>{}, "Other CA", "Test CA");
  fixture y{name};
  auto files = x.files();
  files.ca = y.files().ca;
  auto issuer
    = name == "Test CA" ? "another CA named CN=Test CA" : "CN=Test CA";
  CHECK(refusal(files)
        == "rosia.tls.certificate: " + files.certificate
             + ": the certificate CN=alpha was not issued by a CA in "
             + files.ca + ", but by " + issuer + "; name the files of one CA");
}

TEST_CASE("a self-signed certificate is refused") {
  fixture x;
  auto key = detail::pem_file{"", x.files().key}.key();
  x.forge(
    [](X509* cert) {
      X509_set_issuer_name(cert, X509_get_subject_name(cert));
      extension(NID_authority_key_identifier, "")(cert);
    },
    key.get());
  CHECK(refusal(x.files())
        == "rosia.tls.certificate: " + x.files().certificate
             + ": the certificate CN=alpha was not issued by a CA in "
             + x.files().ca + ", but by itself; name the files of one CA");
}

TEST_CASE("a certificate that is not a CA's is refused as a CA's") {
  fixture x;
  auto files = x.files();
  auto rest
    = " is not that of a CA (basicConstraints CA:TRUE, keyUsage "
      "keyCertSign); name the file with the certificate of the CA that issued "
      "the other certificates";
  SECTION("a process's") {
    files.ca = files.certificate;
    CHECK(refusal(files)
          == "rosia.tls.ca: " + files.ca + ": the certificate CN=alpha" + rest);
  }
  SECTION("without basicConstraints") {
    x.forge_ca(extension(NID_basic_constraints, ""));
    CHECK(
      refusal(files)
      == "rosia.tls.ca: " + files.ca + ": the certificate CN=Test CA" + rest);
  }
  SECTION("that may not sign") {
    x.forge_ca(extension(NID_key_usage, "critical,digitalSignature"));
    CHECK(
      refusal(files)
      == "rosia.tls.ca: " + files.ca + ": the certificate CN=Test CA" + rest);
  }
}

TEST_CASE("a certificate must be valid for clients and servers") {
  fixture x;
  auto usage = GENERATE(as<std::string>{}, "serverAuth", "clientAuth");
  x.forge(extension(NID_ext_key_usage, usage));
  CHECK(refusal(x.files())
        == "rosia.tls.certificate: " + x.files().certificate
             + ": the certificate CN=alpha may not be used by both clients and "
               "servers (keyUsage digitalSignature, extendedKeyUsage "
               "serverAuth and clientAuth); make a new one with rosia-certs");
}

TEST_CASE("a certificate with an unknown critical extension is refused") {
  fixture x;
  x.forge(extension(NID_netscape_comment, "critical,DER:0C:01:78"));
  CHECK_THAT(refusal(x.files()),
             ContainsSubstring(": the certificate CN=alpha cannot be verified "
                               "(OpenSSL: unhandled critical extension); "));
}

TEST_CASE("a CA may be one of several in the file") {
  fixture x;
  fixture y{"Other CA"};
  auto files = x.files();
  files.ca = x.folder().write(
    "both.pem", content(y.files().ca) + content(x.files().ca));
  CHECK(refusal(files) == "");
}

TEST_CASE("a CA certified by another CA needs that CA's certificate") {
  fixture top{"Top CA"};
  top.forge_ca(extension(NID_basic_constraints, "critical,CA:TRUE"));
  fixture x;
  auto files = x.files();
  auto certify = [&](const change& more) {
    auto also = [&more](X509* cert) {
      issuer("Top CA")(cert);
      more(cert);
    };
    x.forge_ca(also, top.ca_key().get());
    overwrite(
      files.certificate, content(files.certificate) + content(files.ca));
  };
  SECTION("it follows the process's own certificate, and the other is the CA") {
    certify([](X509*) {});
    files.ca = top.files().ca;
    CHECK(refusal(files) == "");
    CHECK(connect(files, files));
  }
  SECTION("both are CAs") {
    certify([](X509*) {});
    files.ca = x.folder().write(
      "both.pem", content(files.ca) + content(top.files().ca));
    CHECK(refusal(files) == "");
  }
  SECTION("the other CA's certificate is missing") {
    certify([](X509*) {});
    CHECK(refusal(files)
          == "rosia.tls.ca: " + files.ca
               + ": the CA CN=Test CA is not a root CA: append the "
                 "certificate of CN=Top CA, which issued this one");
  }
  SECTION("the other CA's certificate expired") {
    certify(dates(-2 * day, -1s));
    auto end = end_of(files.ca);
    files.ca = top.files().ca;
    CHECK(refusal(files)
          == "rosia.tls.certificate: " + files.certificate
               + ": the certificate CN=Test CA expired at " + end
               + "; make a new one with rosia-certs");
  }
}

TEST_CASE(
  "a trial connection detects problems that the check does not know by name") {
  fixture x;
  x.forge(weak_key(x.files().key));
  CHECK(refusal(x.files())
        == "rosia.tls.certificate: " + x.files().certificate
             + ": a connection between two processes with this file, "
             + x.files().key + " and " + x.files().ca
             + " fails (OpenSSL failed: ee key too small); make new ones with "
               "rosia-certs");
}

// -- making -------------------------------------------------------------------

TEST_CASE("keys are readable only by their owner, independent of umask") {
  auto old = umask(0);
  fixture x;
  umask(old);
  CHECK(mode(x.files().key) == 0600);
  CHECK(mode(x.folder().file("ca-key.pem")) == 0600);
}

TEST_CASE("certificates contain their names, and the end of their validity") {
  fixture x;
  auto info = detail::describe_certificates(x.files().certificate);
  REQUIRE(info.size() == 1);
  CHECK(info[0].subject == "CN=alpha");
  CHECK(info[0].issuer == "CN=Test CA");
  CHECK(info[0].not_after - info[0].not_before == day + 5min);
  CHECK(detail::utc_text(std::chrono::sys_seconds{1'893'456'000s})
        == "2030-01-01 00:00:00 UTC");
}

TEST_CASE("certificates carry the extensions that they need") {
  fixture x;
  x.ca().issue({"beta", {"beta.example", "10.0.0.1", "::1"}, day}, x.files(),
               existing_files::replace);
  auto list = detail::pem_file{"", x.files().certificate}.certificates();
  auto cert = list.front().get();
  auto flags = X509_get_extension_flags(cert);
  CHECK((flags & EXFLAG_CA) == 0);
  CHECK((flags & EXFLAG_BCONS) != 0);
  CHECK(X509_get_key_usage(cert) == KU_DIGITAL_SIGNATURE);
  CHECK(X509_get_extended_key_usage(cert) == (XKU_SSL_SERVER | XKU_SSL_CLIENT));
  CHECK(X509_check_host(cert, "beta.example", 0, 0, nullptr) == 1);
  CHECK(X509_check_host(cert, "alpha", 0, 0, nullptr) == 0);
  CHECK(X509_check_ip_asc(cert, "10.0.0.1", 0) == 1);
  CHECK(X509_check_ip_asc(cert, "::1", 0) == 1);
  CHECK(X509_check_ip_asc(cert, "10.0.0.2", 0) == 0);
  CHECK(X509_get0_subject_key_id(cert) != nullptr);
  CHECK(X509_get0_authority_key_id(cert) != nullptr);
  auto ca = detail::pem_file{"", x.files().ca}.certificates();
  CHECK(X509_check_ca(ca.front().get()) == 1);
  CHECK(X509_get_pathlen(ca.front().get()) == 0);
  CHECK(
    X509_get_key_usage(ca.front().get()) == (KU_KEY_CERT_SIGN | KU_CRL_SIGN));
}

TEST_CASE("no two certificates have the same serial number, or key") {
  fixture x;
  auto first = detail::pem_file{"", x.files().certificate}.certificates();
  x.ca().issue({"alpha", {}, day}, x.files(), existing_files::replace);
  auto second = detail::pem_file{"", x.files().certificate}.certificates();
  CHECK(X509_check_issued(first.front().get(), second.front().get()) != 0);
  CHECK(ASN1_INTEGER_cmp(X509_get0_serialNumber(first.front().get()),
                         X509_get0_serialNumber(second.front().get()))
        != 0);
  CHECK(EVP_PKEY_eq(X509_get0_pubkey(first.front().get()),
                    X509_get0_pubkey(second.front().get()))
        == 0);
}

TEST_CASE("a certificate ends with its CA's at the latest") {
  fixture x;
  x.ca().issue({"alpha", {}, 100 * day}, x.files(), existing_files::replace);
  CHECK(end_of(x.files().certificate) == end_of(x.files().ca));
}

TEST_CASE("an invalid request is refused") {
  fixture x;
  auto before = content(x.files().certificate);
  auto issue = [&](rosia_certs::certificate_request request) -> std::string {
    try {
      x.ca().issue(request, x.files(), existing_files::replace);
      return "";
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  CHECK(issue({"", {}, day})
        == "certificate: the name '' does not have 1 to 64 characters");
  CHECK_THAT(issue({std::string(65, 'x'), {}, day}),
             ContainsSubstring("does not have 1 to 64 characters"));
  CHECK_THAT(issue({"\xff", {}, day}), ContainsSubstring("is not in UTF-8"));
  CHECK(issue({"x", {}, 0s})
        == "certificate: a lifetime of 0 s is not between 1 s and 1000 years");
  CHECK_THAT(issue({"x", {}, std::chrono::seconds::max()}),
             ContainsSubstring("is not between 1 s and 1000 years"));
  auto host = GENERATE(as<std::string>{}, "", ".", "a..b", "-a", "a-",
                       "a,DNS:b", "a b", "*.a", "1.2.3.4/8", "::g");
  CHECK(
    issue({"x", {host}, day})
    == "certificate: '" + host + "' is neither a host name nor an IP address");
  CHECK(content(x.files().certificate) == before);
  CHECK(count_files(std::filesystem::path{x.files().key}.parent_path()) == 4);
}

TEST_CASE("an existing file is kept, and nothing else is written") {
  fixture x;
  auto folder = x.folder().file("new");
  std::filesystem::create_directory(folder);
  tls_files files{
    folder + "/certificate.pem", folder + "/key.pem", folder + "/ca.pem"};
  SECTION("a file") {
    overwrite(files.ca, "mine");
  }
  SECTION("a link, even to nowhere") {
    std::filesystem::create_symlink("nowhere", files.ca);
  }
  try {
    x.ca().issue({"x", {}, day}, files);
    FAIL("it was overwritten");
  } catch (const std::system_error& e) {
    CHECK(e.code() == std::errc::file_exists);
    CHECK(e.what() == "cannot write '" + files.ca + "': File exists");
  }
  CHECK(count_files(folder) == 1);
}

TEST_CASE("after an error while replacing, all files are unchanged") {
  fixture x;
  auto before = content(x.files().certificate);
  std::filesystem::remove(x.files().ca);
  std::filesystem::create_directory(x.files().ca);
  CHECK_THROWS_AS(
    x.ca().issue({"x", {}, day}, x.files(), existing_files::replace),
    std::system_error);
  CHECK(content(x.files().certificate) == before);
  CHECK(count_files(std::filesystem::path{x.files().key}.parent_path()) == 4);
}

TEST_CASE("a loaded CA issues the same certificates as before") {
  fixture x;
  auto key = x.folder().file("ca-key.pem");
  SECTION("as it was written") {
    certificate_authority::load(x.files().ca, key)
      .issue({"beta", {}, day}, x.files(), existing_files::replace);
    CHECK(refusal(x.files()) == "");
  }
  SECTION("with another CA's certificate appended, which is included") {
    fixture y{"Other CA"};
    overwrite(x.files().ca, content(x.files().ca) + content(y.files().ca));
    auto before = content(x.files().ca);
    certificate_authority::load(x.files().ca, key)
      .issue({"beta", {}, day}, x.files(), existing_files::replace);
    CHECK(content(x.files().ca) == before);
    CHECK(connect(x.files(), x.files()));
  }
  SECTION("but not with a different key") {
    CHECK_THROWS_WITH(
      certificate_authority::load(x.files().ca, x.files().key),
      x.files().key + ": is not the key of the certificate CN=Test CA in "
        + x.files().ca + "; name the two files that were made together");
  }
  SECTION("but not when it expired") {
    x.forge_ca(dates(-2 * day, -1s));
    CHECK_THROWS_WITH(
      certificate_authority::load(x.files().ca, key),
      x.files().ca + ": the certificate CN=Test CA expired at "
        + end_of(x.files().ca) + "; make a new one with rosia-certs");
  }
}

// -- connecting ---------------------------------------------------------------

TEST_CASE("certificates of one CA connect, in both roles") {
  fixture x;
  tls_files beta{x.folder().file("beta.pem"), x.folder().file("beta-key.pem"),
                 x.folder().file("beta-ca.pem")};
  x.ca().issue({"beta", {}, day}, beta);
  CHECK(connect(x.files(), beta));
  CHECK(connect(beta, x.files()));
  CHECK(connect(beta, beta));
}

TEST_CASE("certificates of different CAs do not connect") {
  fixture x;
  auto name = GENERATE(as<std::string>{}, "Other CA", "Test CA");
  fixture y{name};
  CHECK_FALSE(connect(x.files(), y.files()));
  CHECK_FALSE(connect(y.files(), x.files()));
}

TEST_CASE("trust of only one side is not sufficient") {
  fixture x;
  fixture y{"Other CA"};
  auto trusting = y.files();
  trusting.ca = y.folder().write(
    "both.pem", content(x.files().ca) + content(y.files().ca));
  CHECK_FALSE(connect(x.files(), trusting));
  CHECK_FALSE(connect(trusting, x.files()));
}

} // namespace certificates_test
