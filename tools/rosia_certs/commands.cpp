// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_certs/commands.hpp"

#include "rosia_certs/certificate_authority.hpp"

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <stdexcept>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace rosia_certs {

namespace {

using caf::rosia::detail::existing_files;
using caf::rosia::detail::tls_files;
using caf::rosia::detail::utc_text;

/// A folder with access for its owner only. If it is new, the destructor
/// removes it unless `commit` was called.
class folder {
public:
  explicit folder(const std::filesystem::path& path) : path_(path) {
    made_ = mkdir(path.c_str(), 0700) == 0;
    if (!made_ && (errno != EEXIST || !std::filesystem::is_directory(path)))
      throw std::system_error(
        errno, std::generic_category(),
        "cannot make the folder '" + path.string() + "'");
  }

  folder(const folder&) = delete;

  folder& operator=(const folder&) = delete;

  ~folder() {
    if (made_)
      rmdir(path_.c_str());
  }

  void commit() {
    made_ = false;
  }

private:
  std::filesystem::path path_;
  bool made_;
};

/// Calls `write` with what to do about existing files.
template <class Fun>
void write_files(bool force, Fun write) {
  try {
    write(force ? existing_files::replace : existing_files::keep);
  } catch (const std::system_error& e) {
    if (force || e.code() != std::errc::file_exists)
      throw;
    throw std::runtime_error{
      std::string{e.what()} + "; --force replaces the files"};
  }
}

std::filesystem::path ca_certificate(const std::filesystem::path& directory) {
  return directory / "ca.pem";
}

std::filesystem::path ca_key(const std::filesystem::path& directory) {
  return directory / "ca-key.pem";
}

/// The name of a host is the name of its folder.
void require_file_name(const std::string& host) {
  if (host.empty() || host.front() == '.'
      || host.find('/') != std::string::npos)
    throw std::invalid_argument(
      "'" + host + "' is neither a host name nor an IP address");
}

tls_files files_in(const std::filesystem::path& directory) {
  return {directory / "certificate.pem", directory / "key.pem",
          ca_certificate(directory)};
}

void issue_one(const certificate_authority& ca, const host_options& options,
               const std::string& name, std::ostream& out) {
  auto directory = options.directory / name;
  auto files = files_in(directory);
  auto hosts = options.hosts;
  hosts.insert(hosts.begin(), name);
  folder place{directory};
  write_files(options.force, [&](existing_files old) {
    ca.issue({name, hosts, options.lifetime}, files, old);
  });
  place.commit();
  auto info = caf::rosia::detail::describe_certificates(files.certificate);
  out << "Wrote " << directory.string() << ", valid until "
      << utc_text(info.front().not_after) << ".\n"
      << "Copy it to " << name << ", and start each process there with\n"
      << "  --rosia.tls.certificate=FOLDER/certificate.pem\n"
      << "  --rosia.tls.key=FOLDER/key.pem\n"
      << "  --rosia.tls.ca=FOLDER/ca.pem\n";
}

void print_validity(const char* option, const std::string& file,
                    std::ostream& out) {
  for (auto& x : caf::rosia::detail::describe_certificates(file))
    out << option << ": " << x.subject << ", issued by " << x.issuer
        << ", valid from " << utc_text(x.not_before) << " until "
        << utc_text(x.not_after) << '\n';
}

} // namespace

void make_ca(const ca_options& options, std::ostream& out) {
  auto certificate = ca_certificate(options.directory);
  auto key = ca_key(options.directory);
  auto ca = certificate_authority::create(options.name, options.lifetime);
  folder place{options.directory};
  write_files(options.force, [&](existing_files old) {
    ca.write(certificate, key, old);
  });
  place.commit();
  auto info = caf::rosia::detail::describe_certificates(certificate);
  out << "Wrote " << certificate.string() << ", valid until "
      << utc_text(info.front().not_after) << ".\n"
      << "Wrote " << key.string()
      << ". Keep it secret: a process that has it can join.\n";
}

void issue_certificates(const host_options& options, std::ostream& out) {
  for (auto& name : options.names)
    require_file_name(name);
  auto ca = certificate_authority::load(
    ca_certificate(options.directory), ca_key(options.directory));
  for (auto& name : options.names)
    issue_one(ca, options, name, out);
}

void check_files(const tls_files& files, std::ostream& out) {
  caf::rosia::detail::check(files);
  print_validity("certificate", files.certificate, out);
  print_validity("ca", files.ca, out);
  out << "The files are good.\n";
}

} // namespace rosia_certs
